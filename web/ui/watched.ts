import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Disposable } from "../state/disposable.ts";
import type { Readable } from "../state/store.ts";

/**
 * Redraws a Lit element when a store changes, at most once a frame: a rollout changes pods
 * hundreds of times a second, and nobody sees more than the last of a frame.
 */
export class Watched<S> implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #store: Readable<S>;
  readonly #every: () => number;
  #subscription: Disposable | undefined;
  #frame = 0;
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
        this.#nextFrame();
        return;
      }
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#nextFrame();
      }, every);
    });
  }

  hostDisconnected(): void {
    this.#subscription?.dispose();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#frame = 0;
    this.#timer = undefined;
  }

  #nextFrame(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#host.requestUpdate();
    });
  }
}
