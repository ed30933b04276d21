import type { Loaded } from "../worker/load.ts";

/** Somebody's part in a module: what others have compiled, and a way to hand on what it compiles itself. */
export interface Part {
  /** What another cluster has compiled; undefined if this one is to load it. */
  readonly compiled: Promise<Loaded | undefined>;
  /** Hands on what it has compiled, or that it has failed. */
  offer(loaded: Loaded | undefined): void;
  /** It needs the module no longer: the last one that leaves lets go of it. */
  leave(): void;
}

/** One module, from the first cluster that loads it to the last that runs it. */
interface Entry {
  parts: number;
  compiled: Promise<Loaded | undefined>;
}

/**
 * The modules of the clusters that are alive in a page, each downloaded and compiled once: a compiled
 * module can be sent to any Worker, and takes its memory once.
 */
export class Modules {
  readonly #entries = new Map<string, Entry>();

  /** Joins those who run the module of a manifest. The first one to come loads it. */
  join(manifestUrl: string): Part {
    const known = this.#entries.get(manifestUrl);
    const entry: Entry = known ?? { parts: 0, compiled: Promise.resolve(undefined) };
    this.#entries.set(manifestUrl, entry);
    entry.parts++;
    const before = entry.compiled;
    let offer: (loaded: Loaded | undefined) => void = () => undefined;
    // Whoever comes next waits for the one before, and loads it if that one has failed.
    const own = new Promise<Loaded | undefined>((resolve) => (offer = resolve));
    entry.compiled = before.then((loaded) => loaded ?? own);
    let left = false;
    return {
      compiled: before,
      offer,
      leave: () => {
        if (left) return;
        left = true;
        offer(undefined); // nobody waits for one that has gone
        if (--entry.parts === 0) this.#entries.delete(manifestUrl);
      },
    };
  }
}
