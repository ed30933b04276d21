/** Which steps each step caused: a list for each that caused something that is held. */
export class Causes {
  readonly #caused = new Map<number, number[]>();

  /** How many lists there are. */
  get size(): number {
    return this.#caused.size;
  }

  of(cause: number): readonly number[] {
    return this.#caused.get(cause) ?? [];
  }

  add(cause: number, id: number): void {
    const siblings = this.#caused.get(cause);
    if (siblings) siblings.push(id);
    else this.#caused.set(cause, [id]);
  }

  /** Forgets a step, under its cause and as one. */
  forget(id: number, cause: number | undefined): void {
    this.#caused.delete(id);
    if (cause === undefined) return;
    const siblings = this.#caused.get(cause);
    const at = siblings?.indexOf(id) ?? -1;
    if (!siblings || at < 0) return;
    siblings.splice(at, 1);
    // Its cause may have gone before it, or never come: nothing else would take the list away.
    if (siblings.length === 0) this.#caused.delete(cause);
  }
}
