import { opensChapter } from "../journey/play.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import { chapterOf, type Reached } from "../trace/told.ts";
import { took } from "../trace/words.ts";

/** From when to when the steps of a chapter went, in short: "+7.0 to +283 ms". */
export function shortSpan({ after, until }: Reached): string {
  const [first, last] = [took(after), took(until)];
  if (first === last) return `+${first}`;
  // A unit that both have is said once.
  const unit = last.slice(last.indexOf(" "));
  return `+${first.endsWith(unit) ? first.slice(0, -unit.length) : first} to +${last}`;
}

/** When a command came to a chapter, and whether that is when its story does. */
export interface Span extends Reached {
  readonly told?: true;
}

/**
 * The chapters that a command has come to, each from where its story comes to it: kubectl may have asked before, for what
 * there is, and by such a question a later chapter began before an earlier one. `at` is when the command began.
 */
export function asTold(
  lit: ReadonlyMap<string, Reached>,
  story: readonly TraceStep[],
  at: number,
): ReadonlyMap<string, Span> {
  const byId = new Map(story.map((step) => [step.id, step]));
  const first = new Map<string, number>();
  for (const step of story) {
    // The way through a registry is told where it ends.
    if (!opensChapter(step) || step.kind === "registry.stored") continue;
    const chapter = chapterOf(step, byId);
    if (!first.has(chapter)) first.set(chapter, Math.max(0, step.at - at));
  }
  return new Map(
    [...lit].map(([chapter, reached]) => {
      const after = first.get(chapter);
      const later = after !== undefined && after > reached.after;
      return [chapter, later ? { ...reached, after, told: true } : reached];
    }),
  );
}

/** The same in words, with how many they were. */
export function saySpan({ after, until, steps, told }: Span): string {
  if (steps === 0) return `the last container ran at +${took(until)}`;
  if (steps === 1) return `1 step, which ended at +${took(until)}`;
  const first = told ? "the first told slowly" : "the first";
  return `${steps} steps: ${first} at +${took(after)}, the last ended at +${took(until)}`;
}
