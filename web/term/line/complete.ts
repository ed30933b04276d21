import type { Completion } from "../../rpc/protocol.ts";
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

export function commonPrefix(texts: string[]): string {
  const [first = "", ...others] = texts;
  let length = first.length;
  for (const text of others) {
    while (!text.startsWith(first.slice(0, length))) length--;
  }
  return first.slice(0, length);
}

/** The words in columns, or one a line with its help when all have one and they are few. */
export function listWords(words: Completion["words"], cols: number): string[] {
  const widest = Math.max(...words.map((word) => width(word.text)));
  if (words.length <= 24 && words.every((word) => word.help)) {
    return words.map(({ text, help }) => {
      const line = `${pad(text, widest)}  ${(help ?? "").split("\n", 1)[0] ?? ""}`;
      return line.length > cols ? `${line.slice(0, cols - 1)}…` : line;
    });
  }
  const perRow = Math.max(1, Math.floor((cols + 2) / (widest + 2)));
  const rows = Math.ceil(words.length / perRow);
  return Array.from({ length: rows }, (_, row) =>
    words
      .filter((_word, i) => i % rows === row)
      .map((word) => pad(word.text, widest))
      .join("  ")
      .trimEnd(),
  );
}

function pad(text: string, cells: number): string {
  return text + " ".repeat(Math.max(0, cells - width(text)));
}
