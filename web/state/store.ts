import type { Disposable } from "./disposable.ts";

/** A state that changes by a pure reducer only. */
export class Store<S, A> {
  readonly #reduce: (state: S, action: A) => S;
  readonly #listeners = new Set<(state: S) => void>();
  #state: S;

  constructor(reduce: (state: S, action: A) => S, initial: S) {
    this.#reduce = reduce;
    this.#state = initial;
  }

  get state(): S {
    return this.#state;
  }

  dispatch(action: A): void {
    const next = this.#reduce(this.#state, action);
    if (next === this.#state) return;
    this.#state = next;
    for (const listener of this.#listeners) listener(next);
  }

  /** Calls `listener` after every change, until disposed. */
  subscribe(listener: (state: S) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }
}

/** What somebody who only looks needs of a store. */
export type Readable<S> = Pick<Store<S, never>, "state" | "subscribe">;
