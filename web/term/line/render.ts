import type { Buffer } from "./buffer.ts";
import { charWidth } from "./width.ts";

/** Where the last drawing left the cursor, relative to its first row. */
export interface Drawn {
  /** Rows from the first to the one with the cursor. */
  cursorRow: number;
  /** Rows from the first to the last. */
  lastRow: number;
  /** What stands there, piece by piece; undefined where the whole is to be drawn anew. */
  pieces?: readonly Piece[];
  /** The width that it was laid out for: in another one the terminal has folded it itself. */
  cols?: number;
}

/** What is written at once, and the cell that it begins in. */
interface Piece extends Position {
  text: string;
  /** How many it takes: none for the end of a row, or for an accent. */
  cells: number;
}

export const NOTHING_DRAWN: Drawn = { cursorRow: 0, lastRow: 0 };

/** What stands before the lines of a command after its first. */
const CONTINUATION = "> ";

/**
 * The escape sequences that replace the last drawing by this one. The terminal's cursor must be
 * where that left it; the first row begins in column `lead`, behind what a program has written there.
 *
 * What both have at their beginning stays as it is: a screen reader says what is written, and would say
 * the whole line again for each key.
 */
export function draw(
  last: Drawn,
  view: { prompt: string; buffer: Buffer },
  cols: number,
  lead = 0,
): { output: string; drawn: Drawn } {
  const { pieces, end, cursor } = layOut(view, cols, lead);
  const same = last.cols === cols ? sameUntil(last.pieces ?? [], pieces) : 0;
  const changed = pieces.slice(same);
  const from = changed[0] ?? end;
  const drawn = { cursorRow: cursor.row, lastRow: end.row, pieces, cols };
  const goTo = (at: Position, row: number) => {
    const rows = row - at.row;
    const vertical = rows > 0 ? `\x1b[${rows}A` : rows < 0 ? `\x1b[${-rows}B` : "";
    return `\r${vertical}${at.col > 0 ? `\x1b[${at.col}C` : ""}`;
  };
  const isLonger = (last.pieces?.length ?? 0) > same;
  // Only the cursor has moved.
  if (same > 0 && changed.length === 0 && !isLonger) {
    return { output: goTo(cursor, last.cursorRow), drawn };
  }
  const begin = same > 0 ? from : { row: 0, col: lead };
  const output = changed.map(({ text }) => text).join("");
  return {
    output: `${goTo(begin, last.cursorRow)}\x1b[J${output}${goTo(cursor, end.row)}`,
    drawn,
  };
}

/**
 * How many pieces both begin with. Fewer, where the cursor could not go to what follows: beyond a full row,
 * and between a character and the accent that stands in its cell.
 */
function sameUntil(last: readonly Piece[], next: readonly Piece[]): number {
  const differs = next.findIndex(({ text, row, col }, i) => {
    const before = last[i];
    return before?.text !== text || before.row !== row || before.col !== col;
  });
  let same = differs < 0 ? next.length : differs;
  while (same > 0 && (last[same]?.cells === 0 || next[same]?.cells === 0)) same--;
  return same;
}

/** Moves below the drawing, to where output may begin. */
export function leave({ cursorRow, lastRow }: Drawn): string {
  const down = lastRow - cursorRow;
  return `${down > 0 ? `\x1b[${down}B` : ""}\r\n`;
}

interface Position {
  row: number;
  col: number;
}

function layOut(
  { prompt, buffer }: { prompt: string; buffer: Buffer },
  cols: number,
  lead: number,
): { pieces: Piece[]; end: Position; cursor: Position } {
  const pieces: Piece[] = [];
  let row = 0;
  let col = lead;
  let cursor: Position | undefined;
  const add = (text: string, cells: number) => {
    pieces.push({ text, cells, row, col });
    col += cells;
  };
  const breakRow = () => {
    add("\r\n", 0);
    row++;
    col = 0;
  };
  const put = (text: string, cells: number) => {
    // Break lines here, not in the terminal: then both agree on where the cursor is.
    if (col + cells > cols) breakRow();
    add(text, cells);
  };
  const putAll = (text: string) => {
    for (const char of text) put(char, charWidth(char.codePointAt(0) ?? 0));
  };

  putAll(prompt);
  let offset = 0;
  for (const char of buffer.text) {
    if (offset === buffer.cursor) cursor = { row, col };
    if (char === "\n") {
      breakRow();
      putAll(prompt === "" ? "" : CONTINUATION);
    } else if (char === "\t") {
      putAll(" ".repeat(8 - (col % 8)));
    } else if (isControl(char)) {
      // As cat -v: the terminal must show what was pasted, and not obey it.
      putAll(caret(char));
    } else {
      put(char, charWidth(char.codePointAt(0) ?? 0));
    }
    offset += char.length;
  }
  cursor ??= { row, col };
  // At the right edge the next character goes to a row that must exist before the cursor can.
  if (col === cols) breakRow();
  if (cursor.col === cols) cursor = { row: cursor.row + 1, col: 0 };
  return { pieces, end: { row, col }, cursor };
}

/** A control character as `cat -v` shows it. */
export function caret(char: string): string {
  return `^${String.fromCharCode((char.charCodeAt(0) & 0x7f) ^ 0x40)}`;
}

/** C0, DEL and C1. */
function isControl(char: string): boolean {
  return /^\p{Cc}$/u.test(char);
}
