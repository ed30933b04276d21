import { App } from "./app.ts";
import { BootView } from "./views/boot.ts";
import { CountsView } from "./views/counts.ts";
import { EditDialog } from "./views/edit-dialog.ts";
import { EventsView } from "./views/events.ts";
import { InspectorView } from "./views/inspector.ts";
import { MapView } from "./views/map.ts";
import { PanesView } from "./views/panes.ts";
import { attachSplit } from "./views/split.ts";
import { TerminalView } from "./views/terminal.ts";
import { attachTheme } from "./views/theme.ts";
import { ToolsView } from "./views/tools.ts";

/*
 * Puts the views into the frame that index.html has already drawn. The cluster begins to start in
 * the first line: everything else happens while it downloads.
 */
const app = new App();
globalThis.tabernetes = app.api;

const terminal = new TerminalView(app);
const panes = new PanesView();
mount("counts", new CountsView(app));
mount("tools", new ToolsView(app));
mount("map", new MapView(app));
mount("boot", new BootView(app));
mount("terminal", terminal);
mount("inspector", new InspectorView(app));
mount("events", new EventsView(app));
mount("panes", panes);
document.body.append(new EditDialog(app));

attachTheme(app.settings, () => terminal.refreshTheme());
attachSplit(find(".split"), find(".work"), app.settings);
document.addEventListener("tn-show-terminal", () => panes.show("term"));
app.selection.subscribe((selected) => {
  if (selected) panes.show("inspect");
});

function mount(name: string, view: HTMLElement): void {
  find(`[data-view="${name}"]`).replaceChildren(view);
}

function find(selector: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(selector);
  if (!element) throw new Error(`index.html has no ${selector}`);
  return element;
}
