/** The text being edited and where the cursor is in it, in UTF-16 units. May hold newlines. */
export interface Buffer {
  readonly text: string;
  readonly cursor: number;
}

export const EMPTY: Buffer = { text: "", cursor: 0 };

export function insert({ text, cursor }: Buffer, added: string): Buffer {
  return {
    text: text.slice(0, cursor) + added + text.slice(cursor),
    cursor: cursor + added.length,
  };
}

/** Removes from `from` to `to` and leaves the cursor there. */
export function remove({ text }: Buffer, from: number, to: number): Buffer {
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

export function replace(buffer: Buffer, from: number, to: number, by: string): Buffer {
  return insert(remove(buffer, from, to), by);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The end of the character that begins at the cursor: a flag or a letter with accents is one. */
export function nextChar({ text, cursor }: Buffer): number {
  const first = segmenter.segment(text.slice(cursor))[Symbol.iterator]().next();
  return first.done ? text.length : cursor + first.value.segment.length;
}

export function previousChar({ text, cursor }: Buffer): number {
  let start = 0;
  for (const { index } of segmenter.segment(text.slice(0, cursor))) start = index;
  return start;
}

const WORD = /[\p{L}\p{N}_]/u;

export function wordLeft({ text, cursor }: Buffer): number {
  let at = cursor;
  while (at > 0 && !WORD.test(text.charAt(at - 1))) at--;
  while (at > 0 && WORD.test(text.charAt(at - 1))) at--;
  return at;
}

export function wordRight({ text, cursor }: Buffer): number {
  let at = cursor;
  while (at < text.length && !WORD.test(text.charAt(at))) at++;
  while (at < text.length && WORD.test(text.charAt(at))) at++;
  return at;
}

/** The beginning of the word before the cursor as Ctrl-W sees it: up to white space. */
export function blankLeft({ text, cursor }: Buffer): number {
  let at = cursor;
  while (at > 0 && /\s/.test(text.charAt(at - 1))) at--;
  while (at > 0 && !/\s/.test(text.charAt(at - 1))) at--;
  return at;
}

export function lineStart({ text, cursor }: Buffer): number {
  return text.lastIndexOf("\n", cursor - 1) + 1;
}

export function lineEnd({ text, cursor }: Buffer): number {
  const at = text.indexOf("\n", cursor);
  return at < 0 ? text.length : at;
}

/** The cursor one line up or down in the same column, or undefined at the first or last line. */
export function vertical(buffer: Buffer, by: -1 | 1): Buffer | undefined {
  const start = lineStart(buffer);
  const column = buffer.cursor - start;
  if (by < 0) {
    if (start === 0) return undefined;
    const previous = lineStart({ ...buffer, cursor: start - 1 });
    return { ...buffer, cursor: Math.min(previous + column, start - 1) };
  }
  const end = lineEnd(buffer);
  if (end === buffer.text.length) return undefined;
  const next = end + 1;
  return { ...buffer, cursor: Math.min(next + column, lineEnd({ ...buffer, cursor: next })) };
}

/** Swaps the two characters around the cursor, as Ctrl-T does. */
export function transpose(buffer: Buffer): Buffer {
  const { text } = buffer;
  const cursor = Math.min(buffer.cursor, text.length - 1);
  if (cursor < 1) return buffer;
  const [a, b] = [text.charAt(cursor - 1), text.charAt(cursor)];
  return { text: text.slice(0, cursor - 1) + b + a + text.slice(cursor + 1), cursor: cursor + 1 };
}
