import { Commands } from "./commands/commands.ts";
import { Cluster } from "./cluster/cluster.ts";
import { claim, Gate, warnBeforeLeaving } from "./cluster/tabs.ts";
import type { Selection } from "./kube/selection.ts";
import { parseGrouping } from "./map/grouping.ts";
import { MapModel } from "./map/model.ts";
import type { ClusterConfig } from "./rpc/protocol.ts";
import { Door } from "./door/door.ts";
import { Session } from "./session/session.ts";
import type { Interest } from "./session/measurements.ts";
import { Disposables, type Disposable } from "./state/disposable.ts";
import { createRoute, viewOf, type RouteStore } from "./state/route.ts";
import {
  clusterConfig,
  createSettings,
  pageStorage,
  type SettingsStore,
} from "./state/settings.ts";
import { Store } from "./state/store.ts";
import type { EditFile } from "./term/session.ts";

/** Types and runs lines in the page's terminal; the terminal's view fills it in. */
export interface TerminalControl {
  run(line: string): void;
  /** Puts a line at the prompt and leaves it there. */
  type(line: string): void;
  focus(): void;
  /** Runs a line in a terminal of its own. */
  runInNewTab(line: string): void;
}

/** Everything the views draw, and what they may ask for. It knows no view. */
export class App implements Disposable {
  readonly settings: SettingsStore = createSettings(pageStorage());
  /** True while another tab has a cluster and nobody has asked for one of this tab's own. */
  readonly second = new Store<boolean, boolean>((_old, next) => next, false);
  readonly #gate = new Gate();
  /** What the running cluster was started with. */
  readonly started: ClusterConfig = clusterConfig(this.settings.state);
  readonly session = new Session(
    new Cluster(
      // `?verbose` in the address: the components' own log, in the browser's console.
      { ...this.started, verbose: new URLSearchParams(location.search).has("verbose") },
      new URL("assets/", document.baseURI),
      this.#gate.open,
    ),
  );
  /** Where the page is, as its address says. */
  readonly route: RouteStore = createRoute();
  /** What the palette offers. */
  readonly commands = new Commands();
  readonly map = new MapModel(this.session.pods, parseGrouping(this.route.state.query));
  readonly selection = new Store<Selection | undefined, Selection | undefined>(
    (_old, next) => next,
    undefined,
  );
  /** The way in for programs and machines outside this page. */
  readonly door = new Door();
  terminal: TerminalControl | undefined;
  /** Lets a person edit a text; the editor's view fills it in. */
  editor: EditFile | undefined;

  readonly cluster = this.session.cluster;
  readonly api = this.session.api;
  readonly fetch = this.session.fetch;
  readonly catalog = this.session.catalog;
  readonly namespaces = this.session.namespaces;
  readonly nodes = this.session.nodes;
  readonly pods = this.session.pods;
  readonly events = this.session.events;
  readonly placement = this.map.placement;
  readonly consumption = this.session.measurements.store;
  readonly gone = this.session.gone;
  readonly version = this.session.version;
  readonly stale = this.session.stale;

  readonly #held = new Disposables();

  constructor() {
    void claim().then((first) => {
      if (first) this.#gate.unlock();
      else this.second.dispatch(true);
    });
    this.#held.add(warnBeforeLeaving(() => this.session.touched));
    this.#held.add(this.session);
    this.#held.add(this.map);
    this.session.measurements.interest = () => this.#interest();
    this.#held.add(
      this.route.subscribe((route) => {
        if (viewOf(route) === "map") this.map.regroup(parseGrouping(route.query));
      }),
    );
  }

  /** By what the map puts pods together, as the address says. */
  get grouping() {
    return this.map.grouping;
  }

  set pointerOverMap(over: boolean) {
    this.map.pointerOver = over;
  }

  /** Starts a cluster in this tab although another has one. */
  startHere(): void {
    this.second.dispatch(false);
    this.#gate.unlock();
  }

  /** Something has been done that would be lost with the page. */
  touch(): void {
    this.session.touch();
  }

  /** Starts the page and its cluster anew; everything in the cluster is lost. */
  restart(): void {
    this.session.forget();
    location.reload();
  }

  /** Opens the page's editor on a file of the terminal. */
  editFile(name: string, text: string): Promise<string | undefined> {
    return this.editor?.(name, text) ?? Promise.resolve(undefined);
  }

  dispose(): void {
    this.#held.dispose();
  }

  #interest(): Interest {
    const view = viewOf(this.route.state);
    if (document.hidden) return "none";
    return view === "nodes" ? "all" : view === "map" ? "measuring" : "none";
  }
}
