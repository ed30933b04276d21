import type { ApiPlace } from "../kube/apipath.ts";
import type { Event } from "../kube/types.ts";
import type { Selection } from "../kube/selection.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";
import { Signal } from "../state/signal.ts";
import { Store } from "../state/store.ts";
import { Commands } from "./commands.ts";
import type { EditFile, GuideControl, ShellTab, TerminalControl } from "./controls.ts";
import { keepStart, lastStart, type StepTimes } from "./last-start.ts";
import { metered } from "./metered.ts";
import { createHome, createShown, type HomeStore } from "./home.ts";
import { createRoute, type RouteStore } from "./route.ts";
import { createSettings, pageStorage, tabStorage, type SettingsStore } from "./settings.ts";
import { forgetAtNextLoad } from "../kept/kept.ts";
import { leaveForNextStart, type Files } from "./next-start.ts";
import type { Offline } from "../offline/offline.ts";
import type { DrawBeside } from "../term/ran.ts";
import { Gate, warnBeforeLeaving } from "./tabs.ts";
import { PageViews } from "./views.ts";

/** One of the places of the page; a phone shows one at a time. */
export type Pane = "term" | "map" | "inspect" | "guide";

/** An object that is pointed at, as the API names it. */
export type Pointed = Pick<ApiPlace, "resource" | "namespace" | "name">;

/**
 * "kept": another tab has the kept cluster that this one is to open; "second": another tab has a
 * cluster; "size": what is to be loaded may be dear here.
 */
export type StartQuestion = "" | "kept" | "second" | "size";

/**
 * What this document is: where it is, what it remembers, what is selected, which pane is in front,
 * and whom to ask for what. It knows no cluster and no view; views are given it, and fill in what
 * they can do.
 */
export class Page implements Disposable {
  readonly settings: SettingsStore = createSettings(pageStorage());
  /** Where the page is, as its address says. */
  readonly route: RouteStore = createRoute();
  /** What it shows where the address names nothing. */
  readonly home: HomeStore = createHome(this.settings.state.intro);
  /** The name of the view that is shown. */
  readonly shown = createShown(this.route, this.home);
  readonly selection = new Store<Selection | undefined, Selection | undefined>(
    (_old, next) => next,
    undefined,
  );
  /** The pane in front. */
  readonly pane = new Store<Pane, Pane>((_old, next) => next, "term");
  /** What the main pane can show. */
  readonly views = new PageViews();
  /** What the palette offers. */
  readonly commands = new Commands();

  /** Opens the palette with a text typed already. */
  readonly palette = new Signal<string>();
  /** Somebody went to a view by keys: it takes the focus. */
  readonly entered = new Signal();
  /** Shows the list of keys. */
  readonly keys = new Signal();
  /** Shows the steps of the start, or hides them. */
  readonly steps = new Signal();

  /** Whether what is typed goes to a terminal. */
  readonly inTerminal = new Store<boolean, boolean>((_old, next) => next, true);
  terminal: TerminalControl | undefined;
  /** The terminals that are open; the one that is shown is the last. */
  readonly shells = new Store<readonly ShellTab[], readonly ShellTab[]>((_old, next) => next, []);
  /** The guide's view fills it in. */
  guide: GuideControl | undefined;
  editor: EditFile | undefined;
  /** Shows what happened to an object, step by step; the trace's view fills it in. */
  showSteps: ((place: ApiPlace) => void) | undefined;

  /** Shows the step that an event tells of; the trace's view fills it in. */
  showEvent: ((event: Event) => void) | undefined;
  /** Draws beside each line of a terminal what it set off; the trace's views fill it in. */
  beside: DrawBeside | undefined;
  /** The objects that are pointed at somewhere: the map shows which they are. */
  readonly pointed = new Store<readonly Pointed[], readonly Pointed[]>(
    (old, next) => (old.length === 0 && next.length === 0 ? old : next),
    [],
  );

  /** What the owner is asked before a cluster starts here; "" when nothing is. */
  readonly asks = new Store<StartQuestion, StartQuestion>((_old, next) => next, "");
  /** How long the last start took, step by step; undefined at a first visit. */
  readonly lastStart = lastStart(pageStorage());
  /** Whether a visit needs the network; only a published site keeps what it is made of. */
  readonly offline = new Store<Offline, Offline>((_old, next) => next, { is: "unknown" });
  readonly #gate = new Gate();
  readonly #held = new Disposables();
  readonly #worth = new Set<() => boolean>();

  constructor() {
    this.#held.add(this.shown);
    this.#held.add(warnBeforeLeaving(() => [...this.#worth].some((worth) => worth())));
  }

  /** Resolves when a cluster may start here. */
  get mayStart(): Promise<void> {
    return this.#gate.open;
  }

  /**
   * Lets the cluster start, unless there is something to ask the owner first. `first`: no other tab
   * has a cluster; `mine`: none has the one that is to be opened.
   */
  async startIfFree(
    first: Promise<boolean>,
    mine = Promise.resolve(true),
    dear = metered(),
  ): Promise<void> {
    const [alone, free] = await Promise.all([first, mine]);
    if (!free) this.asks.dispatch("kept");
    else if (!alone) this.asks.dispatch("second");
    // Where it has run before, the browser may have kept it.
    else if (dear && !this.lastStart) this.asks.dispatch("size");
    else this.#gate.unlock();
  }

  /** Starts a cluster whatever was asked. */
  startHere(): void {
    this.asks.dispatch("");
    this.#gate.unlock();
  }

  /** Keeps what the steps of a start took, in milliseconds, for the next visit. */
  keepStart(times: StepTimes): void {
    keepStart(pageStorage(), times);
  }

  /** Has the browser ask before the page is left while something would be lost with it. */
  keepWhile(worth: () => boolean): Disposable {
    this.#worth.add(worth);
    return { dispose: () => void this.#worth.delete(worth) };
  }

  /**
   * Loads the page anew without asking: a new cluster starts, with this configuration if one is given. One that
   * was kept under the name `kept` is deleted.
   */
  restart(kept = "", configuration?: Files): void {
    const storage = tabStorage();
    if (configuration) {
      if (!storage) throw new Error("This browser keeps nothing for a tab: nothing was ended.");
      leaveForNextStart(configuration, storage);
    }
    if (kept && storage) forgetAtNextLoad(kept, storage);
    this.#worth.clear();
    location.reload();
  }

  /** Opens the page's editor on a file of the terminal. */
  editFile(name: string, text: string): Promise<string | undefined> {
    return this.editor?.(name, text) ?? Promise.resolve(undefined);
  }

  dispose(): void {
    this.#held.dispose();
  }
}
