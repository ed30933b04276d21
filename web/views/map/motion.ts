/* What moves on the map, and stands still for whoever wants no movement. */

/** Lets pods that have just come appear; not those that were there when the page first knew. */
export class Welcome {
  readonly #drawn = new WeakSet<HTMLElement>();
  #synced = false;

  draw(items: readonly HTMLElement[], synced: boolean): void {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const item of items) {
      if (this.#drawn.has(item)) continue;
      this.#drawn.add(item);
      if (!this.#synced || still || !item.matches(".pod")) continue;
      item.animate([{ opacity: 0, transform: "translateY(-4px)" }, {}], 160);
    }
    this.#synced = synced;
  }
}

/** Lights up a pod that has answered. No movement: it may be seen by whoever wants none. */
export function light(root: ParentNode, uid: string): void {
  root
    .querySelector<HTMLElement>(`.pod[data-uid="${CSS.escape(uid)}"]`)
    ?.animate(
      [{ backgroundColor: "var(--accent-soft)", boxShadow: "inset 0 0 0 2px var(--accent)" }, {}],
      { duration: 1200, easing: "ease-in" },
    );
}
