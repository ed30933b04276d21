import type { Completion } from "../../rpc/protocol.ts";
import { caret } from "./render.ts";
import { width } from "./width.ts";

/** What one press of Tab comes to. */
export type Offer =
  | { type: "nothing" }
  /** Replace text[from:cursor] by `text`. */
  | { type: "replace"; from: number; text: string }
  /** Several words fit and none goes further: show them. */
  | { type: "list"; words: Completion["words"] };

/** @param typed the text from completion.from to the cursor */
export function offer(completion: Completion, typed: string): Offer {
  const { words, from } = completion;
  const [only] = words;
  if (!only) return { type: "nothing" };
  if (words.length === 1) {
    // A word that ends like this goes on: a folder, a flag that wants a value.
    const text = /[/=\s:]$/.test(only.text) ? only.text : `${only.text} `;
    return { type: "replace", from, text };
  }
  const common = commonPrefix(words.map((word) => word.text));
  if (common.length > typed.length) return { type: "replace", from, text: common };
  return { type: "list", words };
}

function commonPrefix(texts: string[]): string {
  const [first = "", ...others] = texts;
  let length = first.length;
  for (const text of others) {
    while (!text.startsWith(first.slice(0, length))) length--;
  }
  return first.slice(0, length);
}

/** Cells of a word that are shown however narrow the terminal is: most names may have no more characters. */
const LONGEST = 253;

/**
 * The words in columns, or one a line with its help when all have one and they are few. A stranger may have named what
 * they stand for: a terminal is to show them, and not to obey.
 */
export function listWords(words: Completion["words"], cols: number): string[] {
  const shown = words.map(({ text }) => cut(visible(text), Math.max(cols, LONGEST)));
  const widest = Math.max(...shown.map(width));
  if (words.length <= 24 && words.every((word) => word.help)) {
    return words.map(({ help = "" }, i) => {
      const [first = ""] = help.split("\n", 1);
      return cut(`${pad(shown[i] ?? "", widest)}  ${visible(first)}`, cols);
    });
  }
  const perRow = Math.max(1, Math.floor((cols + 2) / (widest + 2)));
  const rows = Math.ceil(words.length / perRow);
  return Array.from({ length: rows }, (_, row) =>
    shown
      .filter((_word, i) => i % rows === row)
      .map((text) => pad(text, widest))
      .join("  ")
      .trimEnd(),
  );
}

/** Control characters as `cat -v` has them, without what turns a line around or breaks it. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, (char) => caret(char)).replace(/[\p{Cf}\p{Zl}\p{Zp}]/gu, "");
}

/** At most so many cells; an ellipsis says that there was more. */
function cut(text: string, cells: number): string {
  // No character has more than two units, and those that have no width are gone.
  const near = text.slice(0, 2 * cells);
  if (near === text && width(text) <= cells) return text;
  const kept: string[] = [];
  let left = cells - 1;
  for (const char of near) {
    left -= width(char);
    if (left < 0) break;
    kept.push(char);
  }
  return `${kept.join("")}…`;
}

function pad(text: string, cells: number): string {
  return text + " ".repeat(Math.max(0, cells - width(text)));
}
