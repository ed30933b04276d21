/*
 * Where in a YAML document the cursor is, told from the indentation alone: what is being typed is
 * seldom a document that a parser takes.
 */

/** Stands for an item of a list in a path. */
export const ITEM = "[]";

export interface YamlContext {
  /** Keys and ITEMs that lead to the mapping the cursor is in. */
  path: string[];
  /** The key before the cursor's value, or the key that is being typed. */
  key: string;
  /** True behind "key: ", where a value is typed. */
  inValue: boolean;
  /** Offset in the text at which the word under the cursor begins. */
  from: number;
  /** The manifest's own, as far as it says. */
  apiVersion: string;
  kind: string;
}

interface Line {
  /** Columns of its dashes. */
  dashes: number[];
  /** Column of the key, or of what there is in its place. */
  column: number;
  key: string;
  /** Undefined when there is no colon. */
  value: string | undefined;
}

const LINE = /^(\s*(?:-\s+)*(?:-$)?)(?:("[^"]*"|'[^']*'|[^\s#:][^:#]*?)(?::(?:\s+(.*)|$))?)?$/;

export function contextAt(text: string, position: number): YamlContext {
  const lines = text.split("\n");
  let row = 0;
  let begin = 0;
  while (begin + (lines[row] ?? "").length < position && row < lines.length - 1) {
    begin += (lines[row] ?? "").length + 1;
    row++;
  }
  const before = (lines[row] ?? "").slice(0, position - begin);
  const here = read(before) ?? { dashes: [], column: before.length, key: "", value: undefined };
  const inValue = here.value !== undefined;
  const word = inValue ? (here.value ?? "") : here.key;
  return {
    path: pathTo(lines, row, here),
    key: here.key,
    inValue,
    from: position - word.length,
    ...manifestOf(lines, row),
  };
}

function read(line: string): Line | undefined {
  const match = LINE.exec(line);
  if (!match) return undefined;
  const [, lead = "", key = "", value] = match;
  const dashes = [...lead.matchAll(/-/g)].map((found) => found.index);
  const colon = new RegExp(`^${lead.replaceAll("-", "\\-")}.*?:(\\s|$)`).test(line);
  return {
    dashes,
    column: lead.length,
    key: key.replace(/^["']|["']$/g, ""),
    value: value ?? (colon && key !== "" ? "" : undefined),
  };
}

/** Upwards and outwards, from the line's own mapping to the document's root. */
function pathTo(lines: readonly string[], row: number, here: Line): string[] {
  const path: string[] = [];
  // `dash`: below one, the parent's key may stand in the dash's own column.
  const at = { limit: here.column, dash: false };
  const leave = ({ dashes, column }: Line) => {
    at.limit = column;
    at.dash = false;
    for (const dash of [...dashes].reverse()) {
      path.unshift(ITEM);
      at.limit = dash;
      at.dash = true;
    }
  };
  leave(here);
  for (let up = row - 1; up >= 0 && (at.limit > 0 || at.dash); up--) {
    const text = lines[up] ?? "";
    if (text.startsWith("---")) break;
    if (/^\s*(#|$)/.test(text)) continue;
    const line = read(text);
    if (!line) continue;
    const sameItem = !at.dash && line.column === at.limit && line.dashes.length > 0;
    if (sameItem) {
      leave(line);
      continue;
    }
    const outside = at.dash ? line.column <= at.limit : line.column < at.limit;
    const opens = line.value !== undefined && /^(|[|>&!].*|#.*)$/.test(line.value);
    if (!outside || !opens) continue;
    path.unshift(line.key);
    leave(line);
  }
  return path;
}

/** The apiVersion and kind of the document that a line is in. */
export function manifestOf(
  lines: readonly string[],
  row: number,
): { apiVersion: string; kind: string } {
  let begin = row;
  while (begin > 0 && !(lines[begin] ?? "").startsWith("---")) begin--;
  let end = row + 1;
  while (end < lines.length && !(lines[end] ?? "").startsWith("---")) end++;
  const value = (key: string) =>
    lines
      .slice(begin, end)
      .map((line) => new RegExp(`^${key}:\\s+["']?([^\\s"'#]+)`).exec(line)?.[1])
      .find((found) => found !== undefined) ?? "";
  return { apiVersion: value("apiVersion"), kind: value("kind") };
}
