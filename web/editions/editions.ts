import type { Code } from "../prose/prose.ts";

/** A line of docs/editions.md: what the guide's editions say that is not so any more. */
export interface Edition {
  readonly says: readonly (string | Code)[];
  /** "a" to "d". */
  readonly editions: readonly string[];
  /** What holds in the version that runs. */
  readonly today: readonly (string | Code)[];
  /** A line of upstream's source, by its path in the repository. */
  readonly source: {
    readonly name: string;
    /** As its tags have it: "v1.36.3". */
    readonly version: string;
    readonly path: string;
    readonly line: number;
  };
  /** Where it is seen: "guide/cri" or the name of a view. */
  readonly here: string;
}

const texts = import.meta.glob<readonly Edition[]>("../../docs/editions.md", { import: "default" });

/** All of them, in the order of the guide. */
export async function loadEditions(): Promise<readonly Edition[]> {
  return (await Promise.all(Object.values(texts).map((load) => load()))).flat();
}
