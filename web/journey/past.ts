import type { Collection } from "../kube/collection.ts";
import { podState, type PodState } from "../kube/podstate.ts";
import type { Pod, Row } from "../kube/types.ts";
import { Lives } from "./lives.ts";

/*
 * What the page has seen of pods. A list has what is there now: of one that is gone since, and of which no step tells
 * any more, this knows when it stood where.
 */

/** Pods that are kept after they are gone. */
const MOST_GONE = 1000;
/** How many states of one are. */
const MOST_STATES = 20;

export interface Seen {
  /** As "namespace/name". */
  readonly name: string;
  readonly node: string;
  /** How it was seen, and since when; the first time counts for all of the time before. */
  readonly states: readonly { readonly at: number; readonly state: PodState }[];
  /** When it was made, in milliseconds: a whole second, the one in which it was. */
  readonly made: number;
  /** When it was seen that it is gone. */
  readonly gone: number;
}

/** All pods, as the steps of all commands tell of them, and as they were seen. */
export class Past {
  readonly lives = new Lives();
  #seen = new Map<string, Seen>();
  #of: Collection<Pod> | undefined;

  get pods(): Iterable<Seen> {
    return this.#seen.values();
  }

  /** What is there now. */
  note(now: Collection<Pod>, at: number): void {
    if (now === this.#of || !now.synced) return;
    this.#of = now;
    const names = new Set<string>();
    for (const [uid, row] of now.rows) {
      const seen = seenOf(row, this.#seen.get(uid), at);
      names.add(seen.name);
      this.#seen.set(uid, seen);
    }
    let gone = 0;
    for (const [uid, seen] of this.#seen) {
      if (now.rows.has(uid)) continue;
      gone++;
      if (seen.gone < Infinity) continue;
      this.#seen.set(uid, { ...seen, gone: at });
      // Another one may have its name.
      if (!names.has(seen.name)) this.lives.vanish(seen.name, at);
    }
    for (const [uid, seen] of this.#seen) {
      if (gone <= MOST_GONE) break;
      if (seen.gone === Infinity) continue;
      this.#seen.delete(uid);
      gone--;
    }
  }
}

/** A row as it is at a time, and was seen before that. */
export function seenOf(row: Row<Pod>, before?: Seen, at = 0): Seen {
  const { metadata } = row.object;
  const state = podState(row);
  const states = before?.states ?? [];
  const isSame = states.at(-1)?.state === state;
  return {
    name: `${metadata.namespace ?? ""}/${metadata.name}`,
    // A row may have the object's metadata only.
    node: (row.object as Partial<Pod>).spec?.nodeName ?? "",
    states: isSame
      ? states
      : [...states, { at: states.length > 0 ? at : 0, state }].slice(-MOST_STATES),
    made: Date.parse(metadata.creationTimestamp ?? "") || 0,
    gone: Infinity,
  };
}

/** How it was seen last at a time, if it was seen so. */
export function stateAt({ states }: Seen, when: number, other?: PodState): PodState | undefined {
  return states.findLast(({ at, state }) => at <= when && state !== other)?.state;
}
