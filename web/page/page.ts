import type { Selection } from "../kube/selection.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";
import { Signal } from "../state/signal.ts";
import { Store } from "../state/store.ts";
import { Commands } from "./commands.ts";
import type { EditFile, TerminalControl } from "./controls.ts";
import { createRoute, type RouteStore } from "./route.ts";
import { createSettings, pageStorage, type SettingsStore } from "./settings.ts";
import { Gate, warnBeforeLeaving } from "./tabs.ts";
import { PageViews } from "./views.ts";

/** One of the places of the page; a phone shows one at a time. */
export type Pane = "term" | "map" | "inspect" | "events";

/**
 * What this document is: where it is, what it remembers, what is selected, which pane is in front,
 * and whom to ask for what. It knows no cluster and no view; views are given it, and fill in what
 * they can do.
 */
export class Page implements Disposable {
  readonly settings: SettingsStore = createSettings(pageStorage());
  /** Where the page is, as its address says. */
  readonly route: RouteStore = createRoute();
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
  /** Shows the list of keys. */
  readonly keys = new Signal();
  /** Shows the steps of the start, or hides them. */
  readonly steps = new Signal();

  /** Whether what is typed goes to a terminal. */
  readonly inTerminal = new Store<boolean, boolean>((_old, next) => next, true);
  terminal: TerminalControl | undefined;
  editor: EditFile | undefined;

  /** True while another tab has a cluster and nobody has asked for one of this tab's own. */
  readonly second = new Store<boolean, boolean>((_old, next) => next, false);
  readonly #gate = new Gate();
  readonly #held = new Disposables();
  readonly #worth = new Set<() => boolean>();

  constructor() {
    this.#held.add(warnBeforeLeaving(() => [...this.#worth].some((worth) => worth())));
  }

  /** Resolves when a cluster may start here. */
  get mayStart(): Promise<void> {
    return this.#gate.open;
  }

  /** Lets the cluster start unless another tab has one: then the owner is asked. */
  async startIfFirst(first: Promise<boolean>): Promise<void> {
    if (await first) this.#gate.unlock();
    else this.second.dispatch(true);
  }

  /** Starts a cluster in this tab although another has one. */
  startHere(): void {
    this.second.dispatch(false);
    this.#gate.unlock();
  }

  /** Has the browser ask before the page is left while something would be lost with it. */
  keepWhile(worth: () => boolean): Disposable {
    this.#worth.add(worth);
    return { dispose: () => void this.#worth.delete(worth) };
  }

  /** Loads the page anew without asking; everything that is not kept elsewhere is lost. */
  restart(): void {
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
