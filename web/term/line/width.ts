/** How many terminal cells a text takes, as xterm.js (Unicode 6 widths) counts them. */
export function width(text: string): number {
  let cells = 0;
  for (const char of text) cells += charWidth(char.codePointAt(0) ?? 0);
  return cells;
}

export function charWidth(code: number): 0 | 1 | 2 {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 0;
  if (code < 0x300) return 1;
  if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(String.fromCodePoint(code))) return 0;
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf && code !== 0x303f) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return wide ? 2 : 1;
}
