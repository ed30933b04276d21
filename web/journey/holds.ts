import type { Disposable } from "../state/disposable.ts";

/** What holds the journey where it is, by reasons: each holds once, until it lets go. */
export class Holds implements Disposable {
  readonly #hold: () => Disposable;
  readonly #held = new Map<string, Disposable>();

  constructor(hold: () => Disposable) {
    this.#hold = hold;
  }

  hold(why: string): void {
    if (!this.#held.has(why)) this.#held.set(why, this.#hold());
  }

  release(why: string): void {
    this.#held.get(why)?.dispose();
    this.#held.delete(why);
  }

  dispose(): void {
    for (const why of [...this.#held.keys()]) this.release(why);
  }
}
