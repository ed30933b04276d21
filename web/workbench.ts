import { Cluster } from "./cluster/cluster.ts";
import { HubConnection } from "./hub/connection.ts";
import type { takePairing } from "./hub/pairing.ts";
import { podState } from "./kube/podstate.ts";
import type { Pod, Row } from "./kube/types.ts";
import { parseGrouping } from "./map/grouping.ts";
import { forgetAsSaid } from "./kept/kept.ts";
import { Owner } from "./kept/owner.ts";
import { MapModel } from "./map/model.ts";
import { attachFront } from "./page/front.ts";
import { attachNavigation } from "./page/navigate.ts";
import { Page } from "./page/page.ts";
import { pageCommands } from "./page/page-commands.ts";
import { takeForThisStart } from "./page/next-start.ts";
import { clusterConfig, tabStorage } from "./page/settings.ts";
import { claim } from "./page/tabs.ts";
import { attachTitle, clusterWords, wordsOf } from "./page/title.ts";
import { attachTheme } from "./page/theme.ts";
import type { Interest } from "./session/measurements.ts";
import { Session } from "./session/session.ts";
import { Disposables, type Disposable } from "./state/disposable.ts";
import { attachPaneKeys } from "./ui/focus.ts";
import { SPLIT } from "./page/settings.ts";
import { attachSplit } from "./ui/split.ts";
import { traced } from "./traced.ts";
import { EditDialog } from "./views/editor/edit-dialog.ts";
import { EventsView } from "./views/events/strip.ts";
import { BootView, TAKEN } from "./views/frame/boot.ts";
import { CountsView } from "./views/frame/counts.ts";
import { KeysView } from "./views/frame/keys.ts";
import { PaletteView } from "./views/frame/palette.ts";
import { PanesView } from "./views/frame/panes.ts";
import { StageView } from "./views/frame/stage.ts";
import { ToolsView } from "./views/frame/tools.ts";
import { HubView } from "./views/hub/status.ts";
import { InspectorView } from "./views/inspector/inspector.ts";
import { TerminalView } from "./views/terminal/terminal.ts";

/** What the views of this page stand over; each of them declares which parts of it it needs. */
export interface Ground {
  readonly session: Session;
  readonly page: Page;
  readonly map: MapModel;
  readonly hub: HubConnection;
}

export interface Workbench extends Ground, Disposable {}

/**
 * One cluster with the page's views over it, put into the frame that index.html has drawn. The
 * cluster begins to start first: everything else happens while it downloads.
 */
export function workbench(pairing: ReturnType<typeof takePairing>): Workbench {
  const held = new Disposables();
  const page = held.add(new Page());
  const assets = new URL("assets/", document.baseURI);
  const configuration = takeForThisStart(tabStorage());
  const cluster: Cluster = held.add(
    new Cluster(
      // `?verbose` in the address: the components' own log, in the browser's console.
      {
        ...clusterConfig(page.settings.state),
        ...(configuration ? { configuration } : {}),
        verbose: new URLSearchParams(location.search).has("verbose"),
      },
      assets,
      page.mayStart.then(() => forgetKept(cluster)),
    ),
  );
  const session = held.add(new Session(cluster));
  const first = held.add(claim());
  const owner = ownerOf(session.cluster, first);
  if (owner) held.add(owner);
  const freed = () => {
    if (page.asks.state === "kept") page.startHere();
  };
  void page.startIfFree(first.held, owner?.claim(freed));
  const map = held.add(new MapModel(session.pods, parseGrouping(page.route.state.query)));
  const hub = held.add(new HubConnection());
  const on: Ground = { session, page, map, hub };

  // What is kept in this browser is there again after a reload.
  held.add(page.keepWhile(() => session.touched && !session.cluster.config.keep));
  // Only Chromium says so: a tab that it discards is loaded anew when somebody looks at it.
  if ((document as { wasDiscarded?: boolean }).wasDiscarded === true) {
    void Promise.all([import("./page/discarded.ts"), import("./ui/ask.ts")]).then(
      ([{ discarded }, { tell }]) => tell(discarded(session.cluster.config.keep ?? ""), true),
    );
  }
  if (published()) {
    void import("./offline/offline.ts")
      .then(({ keepForOffline }) => keepForOffline(session.cluster.ready, assets))
      .then((offline) => page.offline.dispatch(offline));
  }
  session.measurements.interest = () => interest(page.shown.state);
  held.add(page.commands.add(() => pageCommands(page)));
  registerViews(on, held);
  draw(on, owner, held);
  void pairing.then(async (params) => {
    if (!params) return;
    const { QuestionView } = await import("./views/hub/question.ts");
    add(held, new QuestionView(hub));
    hub.open(session.cluster.client, params);
  });
  return { ...on, dispose: () => held.dispose() };
}

/** Whether this is a published site, on a host that only serves files (scripts/publish.mjs says so). */
function published(): boolean {
  return document.querySelector('link[rel="manifest"]') !== null;
}

/** This tab's right to the cluster that is kept; undefined if none is. */
function ownerOf(cluster: Cluster, first: Disposable): Owner | undefined {
  const name = cluster.config.keep;
  if (!name) return undefined;
  return new Owner(name, () => {
    first.dispose();
    cluster.stop({
      type: "fault",
      component: TAKEN,
      message: `Another tab of this browser took "${name}" over, and has everything that was acknowledged here.`,
      hint: "Go on there. To have it back in this tab, or to start another one, reload this page.",
    });
  });
}

/** Deletes the kept cluster that a reset wants gone; what cannot be deleted stays, and that is said. */
async function forgetKept(cluster: Cluster): Promise<void> {
  const storage = tabStorage();
  const problem = storage ? await forgetAsSaid(storage) : "";
  if (!problem) return;
  cluster.stop({
    type: "fault",
    component: "reset",
    message: problem,
    hint: "Close other tabs of this page and reload it: the cluster goes on as it was. Then reset again.",
  });
}

/** The views of the main pane, in the order of their tabs. */
function registerViews(on: Ground, held: Disposables): void {
  const { views } = on.page;
  held.add(
    views.add({
      name: "map",
      label: "Map",
      bar: true,
      open: async () => new (await import("./views/map/map.ts")).MapView(on),
    }),
  );
  held.add(
    views.add({
      name: "objects",
      label: "Objects",
      bar: true,
      open: async () => new (await import("./views/objects/objects.ts")).ObjectsView(on),
    }),
  );
  held.add(
    views.add({
      name: "editor",
      label: "Editor",
      open: async () => new (await import("./views/editor/editor.ts")).EditorView(on),
    }),
  );
  held.add(
    views.add({
      name: "browser",
      aside: true,
      label: "Browser",
      words: "open page site service ingress port http web",
      open: async () => new (await import("./views/browser/browser.ts")).BrowserView(on),
    }),
  );
  held.add(
    views.add({
      name: "nodes",
      label: "Nodes",
      open: async () => new (await import("./views/nodes/nodes.ts")).NodesView(on),
    }),
  );
  held.add(
    views.add({
      name: "events",
      label: "Events",
      bar: true,
      open: async () => new (await import("./views/events/page.ts")).EventsPage(on),
    }),
  );
  held.add(
    views.add({
      name: "break",
      label: "Break",
      words: "break something fail failure crash loop riddle learn exercise scenario chaos",
      open: async () => new (await import("./views/break/break.ts")).BreakView(on),
    }),
  );
  held.add(
    views.add({
      name: "lessons",
      aside: true,
      label: "Lessons",
      words: "tutorial learn exercise course",
      open: async () => new (await import("./views/lessons/lessons.ts")).LessonsView(on),
    }),
  );
  held.add(
    views.add({
      name: "clusters",
      label: "Clusters",
      words: "keep kept save copy duplicate export import backup storage",
      open: async () => new (await import("./views/clusters/clusters.ts")).ClustersView(on),
    }),
  );
  held.add(
    views.add({
      name: "checkpoints",
      aside: true,
      label: "Go back",
      words: "undo checkpoint restore time travel timeline rewind delete by mistake",
      open: async () =>
        new (await import("./views/checkpoints/checkpoints.ts")).CheckpointsView(on),
    }),
  );
  held.add(
    views.add({
      name: "share",
      aside: true,
      label: "Share",
      words: "link send copy url manifest yaml",
      open: async () => new (await import("./views/share/share.ts")).ShareView(on),
    }),
  );
  held.add(
    views.add({
      name: "open",
      aside: true,
      label: "Open",
      words: "manifest link shared url",
      open: async () => new (await import("./views/share/open.ts")).OpenView(on),
    }),
  );
  held.add(
    views.add({
      name: "settings",
      label: "Settings",
      open: async () => new (await import("./views/settings/settings.ts")).SettingsView(on),
    }),
  );
}

/** Puts the views into their places, and lets the places be moved and reached. */
function draw(on: Ground, owner: Owner | undefined, held: Disposables): void {
  const { page } = on;
  const terminal = new TerminalView(on);
  mount(held, "counts", new CountsView(on));
  const tools = new ToolsView(on);
  tools.append(new HubView(on.hub));
  mount(held, "tools", tools);
  mount(held, "stage", new StageView(on));
  mount(held, "boot", new BootView({ ...on, owner }));
  mount(held, "terminal", terminal);
  traced(on, held, (name, view) => mount(held, name, view));
  mount(held, "inspector", new InspectorView(on));
  mount(held, "events", new EventsView(on));
  mount(held, "panes", new PanesView(on));
  for (const view of [new EditDialog(on), new PaletteView(on), new KeysView(on)]) add(held, view);

  const work = find(".work");
  const { settings } = page;
  held.add(attachTheme(settings, () => terminal.refreshTheme()));
  const wide = () => work.toggleAttribute("data-wide", settings.state.wide);
  wide();
  held.add(settings.subscribe(wide));
  held.add(
    attachSplit(find(".split:not(.upright)"), {
      read: () => settings.state.split,
      write: (split) => settings.dispatch({ split }),
      changes: settings,
      // Where nobody has moved the line, it is where what is shown wants it (layout.css).
      draw: (split) => work.style.setProperty("--split", split === SPLIT ? "" : `${split}%`),
      bounds: [12, 82],
      keys: { ArrowUp: -2, ArrowDown: 2 },
      at: ({ clientY }) => {
        const { top, height } = work.getBoundingClientRect();
        return ((clientY - top) / height) * 100;
      },
    }),
  );
  held.add(
    attachSplit(find(".split.inspect"), {
      read: () => settings.state.inspect,
      write: (inspect) => settings.dispatch({ inspect }),
      changes: settings,
      draw: (inspect) => work.style.setProperty("--inspect", `${inspect}px`),
      bounds: [240, 1200],
      keys: { ArrowLeft: 24, ArrowRight: -24 },
      at: ({ clientX }) => work.getBoundingClientRect().right - clientX,
    }),
  );
  held.add(
    attachSplit(find(".split.guide"), {
      read: () => settings.state.guide,
      write: (guide) => settings.dispatch({ guide }),
      changes: settings,
      draw: (guide) => work.style.setProperty("--guide", `${guide}px`),
      bounds: [240, 800],
      keys: { ArrowLeft: -24, ArrowRight: 24 },
      at: ({ clientX }) => clientX - work.getBoundingClientRect().left,
    }),
  );
  held.add(attachNavigation(page));
  held.add(
    attachPaneKeys(
      [".pane.guide", ".pane.map", ".pane.term", ".pane.inspect", ".strip", ".bar"].map(find),
      {
        pane: find(".pane.term"),
        focus: () => terminal.focus(),
      },
    ),
  );
  held.add(attachFront(page, document.body, work));

  const { session } = on;
  const { boot } = session.cluster;
  const state = held.add(
    wordsOf(
      () =>
        clusterWords({
          fault: boot.state.fault !== undefined,
          ready: boot.state.ready,
          stale: session.stale.state !== "",
          failing: failing(session.pods.state.rows.values()),
        }),
      [boot, session.stale, session.pods],
    ),
  );
  held.add(attachTitle(page, state.words));
}

function failing(pods: Iterable<Row<Pod>>): number {
  let count = 0;
  for (const pod of pods) if (podState(pod) === "failing") count++;
  return count;
}

/** Nodes that nobody looks at are not asked what they measure. */
function interest(view: string): Interest {
  if (document.hidden) return "none";
  return view === "nodes" ? "all" : view === "map" ? "measuring" : "none";
}

function mount(held: Disposables, name: string, view: HTMLElement): void {
  find(`[data-view="${name}"]`).replaceChildren(view);
  held.add({ dispose: () => view.remove() });
}

function add(held: Disposables, view: HTMLElement): void {
  document.body.append(view);
  held.add({ dispose: () => view.remove() });
}

function find(selector: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(selector);
  if (!element) throw new Error(`index.html has no ${selector}`);
  return element;
}
