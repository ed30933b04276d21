import type { Home } from "./home.ts";
import type { Disposable } from "../state/disposable.ts";
import { Store, type Readable } from "../state/store.ts";

/** A view of the main pane, as it is registered. */
export interface PageView {
  /** Its name in the address: "#/editor". */
  readonly name: string;
  /** What its tab says. */
  readonly label: string;
  /** Words by which the palette finds it, beside its label. */
  readonly words?: string;
  /** The key that leads to it, as it is shown. */
  readonly keys?: string;
  /** It has no tab of its own unless it is shown: other views, the guide and the palette lead to it. */
  readonly aside?: boolean;
  /** It has a place in the bar with which a phone chooses what it shows. */
  readonly bar?: boolean;
  /** Makes its element; called when it is first shown, which is kept from then on. */
  open(): HTMLElement | Promise<HTMLElement>;
}

/** Those of which a phone's bar has one. */
const TAKE_TURNS: ReadonlySet<string> = new Set(["map", "journey"]);

/**
 * Whether a phone's bar has a view. Map and journey take turns there, as it has no room for both: the one that is
 * shown, so that who was at another pane comes back to it; else what is home.
 */
export function inBar({ name, bar = false }: PageView, home: Home, shown: string): boolean {
  if (!TAKE_TURNS.has(name)) return bar;
  return name === (TAKE_TURNS.has(shown) ? shown : home);
}

/** What the main pane can show, in the order of its tabs. Whoever has a view registers it here. */
export class PageViews {
  readonly #store = new Store<readonly PageView[], readonly PageView[]>((_old, next) => next, []);

  /** The views that are registered now. */
  get list(): Readable<readonly PageView[]> {
    return this.#store;
  }

  /**
   * Adds a view behind the others, or behind the one that is named, until disposed. A name is an
   * address: each is taken once.
   */
  add(view: PageView, behind?: string): Disposable {
    const { state } = this.#store;
    if (state.some(({ name }) => name === view.name)) {
      throw new Error(`there is a view "${view.name}" already: choose another name in the address`);
    }
    const at = state.findIndex(({ name }) => name === behind) + 1;
    this.#store.dispatch(state.toSpliced(at === 0 ? state.length : at, 0, view));
    return {
      dispose: () => this.#store.dispatch(this.#store.state.filter((other) => other !== view)),
    };
  }
}
