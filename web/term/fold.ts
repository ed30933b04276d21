import { width } from "./line/width.ts";

/**
 * Breaks a line between its words, into rows of so many columns, the first of which has `column` of them taken. A word
 * longer than a row stays whole: it is an address or a name, to be copied.
 */
export function rows(line: string, columns: number, column = 0): string[] {
  const found = [""];
  let at = column;
  for (const word of line.split(/(?<= )(?=[^ ])/)) {
    if (at > 0 && at + width(word.trimEnd()) > columns) {
      // The room that ends a row is in the way of whoever copies it.
      found.push((found.pop() ?? "").trimEnd(), "");
      at = 0;
    }
    found.push((found.pop() ?? "") + word);
    at += width(word);
  }
  return found;
}

/**
 * Folds what a program says on standard error to what is in sight: sentences, which wrap anywhere, where the tables of
 * standard output have to keep their columns and scroll sideways.
 */
export class Fold {
  readonly #decoder = new TextDecoder();
  /** Cells of the line that is open. */
  #column = 0;

  /** What to print for the next piece, in so many columns. Lines with escape sequences, or with tabs, stay as they are. */
  write(chunk: Uint8Array, columns: number): string {
    const lines = this.#decoder.decode(chunk, { stream: true }).split("\n");
    return lines.map((line, at) => this.#line(line, columns, at === 0)).join("\n");
  }

  #line(line: string, columns: number, goesOn: boolean): string {
    if (!goesOn) this.#column = 0;
    // eslint-disable-next-line no-control-regex -- these are what is looked for
    if (/[\x00-\x1f\x7f]/.test(line)) return line;
    const folded = rows(line, columns, this.#column);
    this.#column = (folded.length > 1 ? 0 : this.#column) + width(folded.at(-1) ?? "");
    return folded.join("\n");
  }
}
