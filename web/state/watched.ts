import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Disposable } from "./disposable.ts";
import type { Store } from "./store.ts";

/**
 * Redraws a Lit element when a store changes, at most once a frame: a rollout changes pods
 * hundreds of times a second, and nobody sees more than the last of a frame.
 */
export class Watched<S> implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #store: Store<S, never>;
  #subscription: Disposable | undefined;
  #frame = 0;

  constructor(host: ReactiveControllerHost, store: Store<S, never>) {
    this.#host = host;
    this.#store = store;
    host.addController(this);
  }

  get state(): S {
    return this.#store.state;
  }

  hostConnected(): void {
    this.#subscription = this.#store.subscribe(() => {
      this.#frame ||= requestAnimationFrame(() => {
        this.#frame = 0;
        this.#host.requestUpdate();
      });
    });
  }

  hostDisconnected(): void {
    this.#subscription?.dispose();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }
}
