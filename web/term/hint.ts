import { rows } from "./fold.ts";
import { width } from "./line/width.ts";
import type { Ran } from "./ran.ts";

/** What is said below a line that has run; nothing for "". Its last line is a command, which is never folded. */
export type Hint = (ran: Ran) => Promise<string>;

/** Milliseconds that a prompt waits for a hint. */
const WITHIN = 1500;

/** Asks for it, but not for long, and one that fails is none. */
export function hinted(hint: Hint, ran: Ran): Promise<string> {
  return Promise.race([hint(ran).catch(() => ""), after(WITHIN).then(() => "")]);
}

/** A hint as one row, or, in a narrow place, its words folded, and its command by itself. */
export function rowsOf(hint: string, columns: number): string[] {
  const [words = "", ...command] = hint.split("\n");
  const whole = [words, ...command].join(" ");
  if (width(whole) <= columns) return [whole];
  return [...rows(words, columns), ...command];
}

/** Resolves then. */
export function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
