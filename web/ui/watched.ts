import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Disposable } from "../state/disposable.ts";
import type { Readable } from "../state/store.ts";
import { leave, redraw } from "./frames.ts";

/**
 * Redraws a Lit element when a store changes, at most once a frame (frames.ts): a rollout changes
 * pods hundreds of times a second, and nobody sees more than the last of a frame.
 */
export class Watched<S> implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #store: Readable<S>;
  readonly #every: () => number;
  #subscription: Disposable | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * With `every`, in milliseconds, it redraws no more often than that; a function says it anew each time, for
   * what takes the longer the more there is.
   */
  constructor(
    host: ReactiveControllerHost,
    store: Readable<S>,
    every: number | (() => number) = 0,
  ) {
    this.#host = host;
    this.#store = store;
    this.#every = typeof every === "number" ? () => every : every;
    host.addController(this);
  }

  get state(): S {
    return this.#store.state;
  }

  hostConnected(): void {
    this.#subscription = this.#store.subscribe(() => {
      if (this.#timer !== undefined) return;
      const every = this.#every();
      if (every === 0) {
        redraw(this.#host);
        return;
      }
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        redraw(this.#host);
      }, every);
    });
  }

  hostDisconnected(): void {
    this.#subscription?.dispose();
    leave(this.#host);
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
