import { checks, type Block, type Lesson, type Part } from "./lesson.ts";

/** How far a reader is. */
export interface Progress {
  /** The step that is open, from 0. */
  readonly at: number;
  /** Steps that are done. */
  readonly done: ReadonlySet<number>;
  /** Which checks and questions of a step have passed, by their numbers in it, from 0. */
  readonly passed: ReadonlyMap<number, ReadonlySet<number>>;
}

/** Where it is kept: the page's localStorage, or nothing. */
type Kept = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export const BEGIN: Progress = { at: 0, done: new Set(), passed: new Map() };

/** The parts of a step that are checked or asked: what has to pass for the step to be done. */
export function asked(blocks: readonly Block[] = []): Part[] {
  return blocks.filter(
    (block): block is Part => block.type === "part" && (checks(block) || block.kind === "question"),
  );
}

/** Progress as text. Steps are known by their titles: a lesson may get others. */
export function written({ steps }: Lesson, { at, done, passed }: Progress): string {
  return JSON.stringify({
    at: steps[at]?.title,
    done: [...done].map((i) => steps[i]?.title),
    passed: [...passed].flatMap(([i, which]) =>
      which.size > 0 ? [[steps[i]?.title, [...which]]] : [],
    ),
  });
}

/**
 * Reads such a text, which anybody may have written: what is no step or check of this lesson is left out.
 * Undefined if it is no progress at all, or of none of its steps.
 */
export function progressIn(text: string, { steps }: Lesson): Progress | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { at, done, passed } = value as Record<"at" | "done" | "passed", unknown>;
  const titles = new Set(list(done).filter((one) => typeof one === "string"));
  const found = steps.findIndex(({ title }) => title === at);
  const read = {
    at: Math.max(0, found),
    done: new Set(steps.flatMap(({ title }, i) => (titles.has(title) ? [i] : []))),
    passed: passedIn(list(passed), steps),
  };
  return found === -1 && read.done.size === 0 && read.passed.size === 0 ? undefined : read;
}

function passedIn(pairs: readonly unknown[], steps: Lesson["steps"]): Progress["passed"] {
  const passed = new Map<number, ReadonlySet<number>>();
  for (const pair of pairs) {
    const [title, which] = list(pair);
    const i = steps.findIndex((step) => step.title === title);
    const numbers = new Set(list(which));
    const there = asked(steps[i]?.blocks).flatMap((_part, n) => (numbers.has(n) ? [n] : []));
    if (there.length > 0) passed.set(i, new Set(there));
  }
  return passed;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether two say the same. */
export function same(a: Progress, b: Progress, lesson: Lesson): boolean {
  const sorted = ({ at, done, passed }: Progress) => {
    const steps = lesson.steps.flatMap((_step, i) => {
      const which = [...(passed.get(i) ?? [])].sort((x, y) => x - y);
      return [[done.has(i), which]];
    });
    return JSON.stringify([at, steps]);
  };
  return sorted(a) === sorted(b);
}

function key(folder: URL): string {
  return `tabernetes-lesson:${folder.origin}${folder.pathname}`;
}

/** What was kept of a lesson. What else lies there, and a storage that is refused, is a beginning. */
export function readProgress(kept: Kept | undefined, folder: URL, lesson: Lesson): Progress {
  try {
    const text = kept?.getItem(key(folder));
    return text ? (progressIn(text, lesson) ?? BEGIN) : BEGIN;
  } catch {
    return BEGIN;
  }
}

/** Keeps it, if there is room. */
export function writeProgress(
  kept: Kept | undefined,
  folder: URL,
  lesson: Lesson,
  progress: Progress,
): void {
  try {
    kept?.setItem(key(folder), written(lesson, progress));
  } catch {
    // A full or refused storage keeps nothing; the lesson goes on.
  }
}
