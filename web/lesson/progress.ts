import type { Lesson } from "./lesson.ts";

/** How far a reader is. Steps are known by their titles: a lesson may get others. */
export interface Progress {
  /** The step that is open, from 0. */
  readonly at: number;
  /** Steps that are done. */
  readonly done: ReadonlySet<number>;
}

/** Where it is kept: the page's localStorage, or nothing. */
type Kept = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const BEGIN: Progress = { at: 0, done: new Set() };

function key(folder: URL): string {
  return `tabernetes-lesson:${folder.origin}${folder.pathname}`;
}

/** What was kept of a lesson. What else lies there, and a storage that is refused, is a beginning. */
export function readProgress(kept: Kept | undefined, folder: URL, { steps }: Lesson): Progress {
  try {
    const text = kept?.getItem(key(folder));
    if (!text) return BEGIN;
    const { at, done } = JSON.parse(text) as { at?: unknown; done?: unknown };
    const titles = new Set(Array.isArray(done) ? done.filter((t) => typeof t === "string") : []);
    return {
      at: Math.max(
        0,
        steps.findIndex(({ title }) => title === at),
      ),
      done: new Set(steps.flatMap(({ title }, i) => (titles.has(title) ? [i] : []))),
    };
  } catch {
    return BEGIN;
  }
}

/** Keeps it, if there is room. */
export function writeProgress(
  kept: Kept | undefined,
  folder: URL,
  { steps }: Lesson,
  { at, done }: Progress,
): void {
  try {
    const titles = [...done].map((i) => steps[i]?.title);
    kept?.setItem(key(folder), JSON.stringify({ at: steps[at]?.title, done: titles }));
  } catch {
    // A full or refused storage keeps nothing; the lesson goes on.
  }
}
