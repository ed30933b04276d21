/** How many steps the page keeps of all that real nodes tell: as many as the cluster can (core/trace, ToldBytes). */
export const MAX_TOLD = 12_500;

/** The steps of one node. */
class Tale {
  readonly ids = new Set<number>();
  /** Not from the beginning each time: a Set walks over what has been deleted there. */
  readonly oldest = this.ids.values();
}

/**
 * What real nodes told, beside what the cluster did itself, for which nothing of that goes. The oldest goes of the
 * node that has told the most: whoever floods loses what it told itself, as in the cluster's own trace.
 */
export class Told {
  readonly #nodes = new Map<string, Tale>();
  #size = 0;

  /** How many steps are held. */
  get size(): number {
    return this.#size;
  }

  /** Takes a step of a node in, and gives the one that has to go for it, if one has to. */
  add(node: string, id: number): number | undefined {
    let tale = this.#nodes.get(node);
    if (!tale) this.#nodes.set(node, (tale = new Tale()));
    tale.ids.add(id);
    return ++this.#size > MAX_TOLD ? this.#drop() : undefined;
  }

  #drop(): number | undefined {
    const [node, most] = [...this.#nodes].reduce((a, b) => (b[1].ids.size > a[1].ids.size ? b : a));
    const { value: id } = most.oldest.next();
    if (id === undefined) return undefined;
    most.ids.delete(id);
    this.#size--;
    if (most.ids.size === 0) this.#nodes.delete(node);
    return id;
  }
}
