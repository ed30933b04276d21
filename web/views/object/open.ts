import type { App } from "../../app.ts";
import type { ObjectTab } from "./tab.ts";

/** The inspector's tabs beyond the summary; each is loaded when it is first shown. */
export async function openTab(name: string, app: App): Promise<ObjectTab> {
  switch (name) {
    case "yaml":
      return new (await import("./yaml.ts")).YamlTab(app);
    case "describe":
      return new (await import("./describe.ts")).DescribeTab(app);
    case "events":
      return new (await import("./events.ts")).EventsTab(app);
    case "tree":
      return new (await import("./tree.ts")).TreeTab(app);
    case "logs":
      return new (await import("./logs.ts")).LogsTab(app);
    default:
      throw new Error(`there is no tab ${name}`);
  }
}
