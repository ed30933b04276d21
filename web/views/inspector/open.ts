import type { TabNeeds } from "./tab.ts";
import type { ObjectTab } from "./tab.ts";

/** The inspector's tabs beyond the summary; each is loaded when it is first shown. */
export async function openTab(name: string, on: TabNeeds): Promise<ObjectTab> {
  switch (name) {
    case "yaml":
      return new (await import("./yaml.ts")).YamlTab(on);
    case "describe":
      return new (await import("./describe.ts")).DescribeTab(on);
    case "events":
      return new (await import("./events.ts")).EventsTab(on);
    case "tree":
      return new (await import("./tree.ts")).TreeTab(on);
    case "scheduling":
      return new (await import("./scheduling.ts")).SchedulingTab(on);
    case "logs":
      return new (await import("./logs.ts")).LogsTab(on);
    default:
      throw new Error(`there is no tab ${name}`);
  }
}
