import type { Reached } from "../trace/told.ts";
import { took } from "../trace/words.ts";

/** From when to when the steps of a chapter went, in short: "+7.0 to +283 ms". */
export function shortSpan({ after, until }: Reached): string {
  const [first, last] = [took(after), took(until)];
  if (first === last) return `+${first}`;
  // A unit that both have is said once.
  const unit = last.slice(last.indexOf(" "));
  return `+${first.endsWith(unit) ? first.slice(0, -unit.length) : first} to +${last}`;
}

/** The same in words, with how many they were. */
export function saySpan({ after, until, steps }: Reached): string {
  if (steps === 0) return `the last container ran at +${took(until)}`;
  if (steps === 1) return `1 step, which ended at +${took(until)}`;
  return `${steps} steps: the first at +${took(after)}, the last ended at +${took(until)}`;
}
