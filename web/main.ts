import { App } from "./app.ts";
import { framedWithHub, sayFramed } from "./door/framed.ts";
import { openDoor } from "./door/open.ts";
import { takePairing } from "./door/pairing.ts";
import { BootView } from "./views/boot.ts";
import { CountsView } from "./views/counts.ts";
import { EditDialog } from "./views/edit-dialog.ts";
import { EventsView } from "./views/events.ts";
import { attachPaneKeys } from "./views/focus.ts";
import { InspectorView } from "./views/inspector.ts";
import { MapView } from "./views/map.ts";
import { attachNavigation } from "./views/navigate.ts";
import { KeysView } from "./views/keys.ts";
import { PaletteView } from "./views/palette.ts";
import { PanesView } from "./views/panes.ts";
import { pageCommands } from "./views/page-commands.ts";
import { attachSplit, attachUprightSplit } from "./views/split.ts";
import { StageView } from "./views/stage.ts";
import { TerminalView } from "./views/terminal.ts";
import { attachTheme } from "./views/theme.ts";
import { ToolsView } from "./views/tools.ts";

/*
 * Puts the views into the frame that index.html has already drawn. The cluster begins to start in
 * the first line: everything else happens while it downloads.
 */
if (framedWithHub()) {
  sayFramed();
  throw new Error("a page that holds a hub's access is not shown in a frame");
}
const pairing = takePairing();
const app = new App();
void openDoor(app, pairing);
globalThis.tabernetes = app.api;

const terminal = new TerminalView(app);
const panes = new PanesView(app);
mount("counts", new CountsView(app));
mount("tools", new ToolsView(app));
mount(
  "stage",
  new StageView(app, [
    { name: "map", label: "Map", open: () => new MapView(app) },
    {
      name: "objects",
      label: "Objects",
      open: async () => new (await import("./views/objects/objects.ts")).ObjectsView(app),
    },
    {
      name: "editor",
      label: "Editor",
      open: async () => new (await import("./views/editor/editor.ts")).EditorView(app),
    },
    {
      name: "nodes",
      label: "Nodes",
      open: async () => new (await import("./views/nodes.ts")).NodesView(app),
    },
    {
      name: "events",
      label: "Events",
      open: async () => new (await import("./views/events-page.ts")).EventsPage(app),
    },
    {
      name: "settings",
      label: "Settings",
      open: async () => new (await import("./views/settings.ts")).SettingsView(app),
    },
  ]),
);
mount("boot", new BootView(app));
mount("terminal", terminal);
mount("inspector", new InspectorView(app));
mount("events", new EventsView(app));
mount("panes", panes);
document.body.append(new EditDialog(app));

attachTheme(app.settings, () => terminal.refreshTheme());
attachSplit(find(".split"), find(".work"), app.settings);
attachUprightSplit(find(".split.upright"), find(".work"), app.settings);
attachNavigation(app);
attachPaneKeys([".pane.map", ".pane.term", ".pane.inspect", ".strip", ".bar"].map(find), {
  pane: find(".pane.term"),
  focus: () => terminal.focus(),
});
document.body.append(new PaletteView(app), new KeysView());
app.commands.add(() => pageCommands(app));
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
