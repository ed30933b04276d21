import type { Buffer } from "./buffer.ts";
import { charWidth } from "./width.ts";

/** Where the last drawing left the cursor, relative to its first row. */
export interface Drawn {
  /** Rows from the first to the one with the cursor. */
  cursorRow: number;
  /** Rows from the first to the last. */
  lastRow: number;
}

export const NOTHING_DRAWN: Drawn = { cursorRow: 0, lastRow: 0 };

/** What stands before the lines of a command after its first. */
const CONTINUATION = "> ";

/**
 * The escape sequences that replace the last drawing by this one. The terminal's cursor must be
 * where that left it; the first row begins in column `lead`, behind what a program has written there.
 */
export function draw(
  last: Drawn,
  view: { prompt: string; buffer: Buffer },
  cols: number,
  lead = 0,
): { output: string; drawn: Drawn } {
  const { output, end, cursor } = layOut(view, cols, lead);
  const up = (rows: number) => (rows > 0 ? `\x1b[${rows}A` : "");
  const right = (cells: number) => (cells > 0 ? `\x1b[${cells}C` : "");
  const begin = `\r${up(last.cursorRow)}${right(lead)}\x1b[J`;
  return {
    output: `${begin}${output}\r${up(end.row - cursor.row)}${right(cursor.col)}`,
    drawn: { cursorRow: cursor.row, lastRow: end.row },
  };
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
): { output: string; end: Position; cursor: Position } {
  let output = "";
  let row = 0;
  let col = lead;
  let cursor: Position | undefined;
  const put = (text: string, cells: number) => {
    // Break lines here, not in the terminal: then both agree on where the cursor is.
    if (col + cells > cols) {
      output += "\r\n";
      row++;
      col = 0;
    }
    output += text;
    col += cells;
  };
  const putAll = (text: string) => {
    for (const char of text) put(char, charWidth(char.codePointAt(0) ?? 0));
  };

  putAll(prompt);
  let offset = 0;
  for (const char of buffer.text) {
    if (offset === buffer.cursor) cursor = { row, col };
    if (char === "\n") {
      output += "\r\n";
      row++;
      col = 0;
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
  const end = { row, col };
  // At the right edge the next character goes to a row that must exist before the cursor can.
  if (end.col === cols) {
    output += "\r\n";
    end.row++;
    end.col = 0;
  }
  if (cursor.col === cols) cursor = { row: cursor.row + 1, col: 0 };
  return { output, end, cursor };
}

/** A control character as `cat -v` shows it. */
export function caret(char: string): string {
  return `^${String.fromCharCode((char.charCodeAt(0) & 0x7f) ^ 0x40)}`;
}

/** C0, DEL and C1. */
function isControl(char: string): boolean {
  return /^\p{Cc}$/u.test(char);
}
