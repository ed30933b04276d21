import { width } from "./line/width.ts";

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
    let folded = "";
    for (const word of line.split(/(?<= )(?=[^ ])/)) {
      const cells = width(word.trimEnd());
      if (this.#column > 0 && this.#column + cells > columns) {
        // The room that ends a row is in the way of whoever copies it; some may have been printed before.
        folded = `${folded.trimEnd()}\n`;
        this.#column = 0;
      }
      folded += word;
      // A word longer than a row is folded by nobody: it is an address or a name, to be copied.
      this.#column += width(word);
    }
    return folded;
  }
}
