import type { Disposable } from "./disposable.ts";

/** Something that is asked for, and whoever can do it hears of it: no state, nothing is kept. */
export class Signal<T = void> {
  readonly #listeners = new Set<(value: T) => void>();

  /** Asks for it. Nobody may listen yet: then nothing happens. */
  emit(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }

  /** Calls `listener` at each asking, until disposed. */
  subscribe(listener: (value: T) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }
}
