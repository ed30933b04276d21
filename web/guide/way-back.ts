import type { Page } from "../page/page.ts";
import { parseRoute } from "../page/route.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";
import { Store, type Readable } from "../state/store.ts";
import { readPlace, type Place } from "./place.ts";

/**
 * Back to the place of the guide that somebody has left for another view: by a button of the trace, and by the browser's
 * Back, whose entry of the history remembers the place.
 */
export class WayBack implements Disposable {
  readonly #page: Pick<Page, "route" | "pane" | "settings">;
  readonly #comeBack: (place: Place) => void;
  readonly #held = new Disposables();
  readonly #from = new Store<Place | undefined, Place | undefined>((_old, next) => next, undefined);

  constructor(page: Pick<Page, "route" | "pane" | "settings">, comeBack: (place: Place) => void) {
    this.#page = page;
    this.#comeBack = comeBack;
    this.#held.listen(window, "popstate", ({ state }) => {
      const place = readPlace((state as { guide?: unknown } | null)?.guide);
      if (!place) return;
      // What stands beside it first: a phone brings to the front what its address names.
      page.route.dispatch(parseRoute(location.hash));
      this.#to(place);
    });
    this.#held.add(
      page.route.subscribe(({ path: [view] }) => {
        if (view !== "trace") this.#from.dispatch(undefined);
      }),
    );
  }

  /** From where somebody came to the trace that is shown; undefined if it was not from the guide. */
  get from(): Readable<Place | undefined> {
    return this.#from;
  }

  /** Goes elsewhere from a place of the guide. */
  leave(place: Place, go: () => void): void {
    const { hash } = location;
    history.replaceState({ guide: place }, "");
    go();
    // From a step to another one in the same view is a way as well.
    if (location.hash === hash) history.pushState(null, "");
    if (this.#page.route.state.path[0] === "trace") this.#from.dispatch(place);
  }

  back(): void {
    const { state } = this.#from;
    this.#from.dispatch(undefined);
    if (state) this.#to(state);
  }

  dispose(): void {
    this.#held.dispose();
  }

  #to(place: Place): void {
    this.#page.settings.dispatch({ guideOpen: true });
    this.#page.pane.dispatch("guide");
    this.#comeBack(place);
  }
}
