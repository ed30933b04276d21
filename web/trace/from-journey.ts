import type { Route } from "../page/route.ts";
import type { Disposable } from "../state/disposable.ts";
import { Store, type Readable } from "../state/store.ts";

/** Whether somebody came to the trace that is shown from the journey: it has a way back then. */
export class FromJourney implements Disposable {
  readonly #route: Readable<Route>;
  readonly #came = new Store<boolean, boolean>((_old, next) => next, false);
  readonly #left: Disposable;

  constructor(route: Readable<Route>) {
    this.#route = route;
    this.#left = route.subscribe(({ path: [view] }) => {
      if (view !== "trace") this.#came.dispatch(false);
    });
  }

  get came(): Readable<boolean> {
    return this.#came;
  }

  /** Goes from the journey to wherever that leads. */
  leave(go: () => void): void {
    go();
    this.#came.dispatch(this.#route.state.path[0] === "trace");
  }

  dispose(): void {
    this.#left.dispose();
  }
}
