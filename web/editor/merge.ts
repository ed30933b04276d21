import { Chunk } from "@codemirror/merge";
import { Text } from "@codemirror/state";

/** A text with two people's changes in it. */
export interface Merged {
  text: string;
  /** Lines, from 1, of the merged text where both had changed the same; mine stands there. */
  conflicts: number[];
}

export interface Change {
  /** Lines of the base that are replaced, from 0, end excluded. */
  from: number;
  to: number;
  lines: string[];
}

/** Puts the changes that lead from `base` to `mine` onto `theirs`, line by line. */
export function merge(base: string, mine: string, theirs: string): Merged {
  const old = base.split("\n");
  const my = changesOf(base, mine);
  const their = changesOf(base, theirs);
  const out: string[] = [];
  const conflicts: number[] = [];
  let at = 0;
  while (my.length > 0 || their.length > 0) {
    const a = my[0];
    const b = their[0];
    if (a && b && touches(a, b)) {
      // One region of both: mine, unless both say the same.
      const region = { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) };
      const mineHere = take(my, region);
      const theirsHere = take(their, region);
      out.push(...old.slice(at, region.from));
      const mineText = applied(old, region, mineHere);
      const theirText = applied(old, region, theirsHere);
      if (mineText.join("\n") !== theirText.join("\n")) conflicts.push(out.length + 1);
      out.push(...mineText);
      at = region.to;
      continue;
    }
    const next = !b || (a && a.from <= b.from) ? my.shift() : their.shift();
    if (!next) break;
    out.push(...old.slice(at, next.from), ...next.lines);
    at = next.to;
  }
  return { text: [...out, ...old.slice(at)].join("\n"), conflicts };
}

/** Two changes at the same place, or so near that there is no line between them. */
function touches(a: Change, b: Change): boolean {
  if (a.from === a.to || b.from === b.to) return a.from <= b.to && b.from <= a.to;
  return a.from < b.to && b.from < a.to;
}

/** Takes the changes within a region off a list; the region grows over what they reach. */
function take(changes: Change[], region: { from: number; to: number }): Change[] {
  const taken: Change[] = [];
  while (changes[0] && changes[0].from <= region.to && touches(changes[0], asChange(region))) {
    const change = changes.shift();
    if (!change) break;
    region.to = Math.max(region.to, change.to);
    taken.push(change);
  }
  return taken;
}

function asChange({ from, to }: { from: number; to: number }): Change {
  return { from, to, lines: [] };
}

function applied(
  old: readonly string[],
  { from, to }: { from: number; to: number },
  changes: readonly Change[],
): string[] {
  const out: string[] = [];
  let at = from;
  for (const change of changes) {
    out.push(...old.slice(at, change.from), ...change.lines);
    at = change.to;
  }
  return [...out, ...old.slice(at, to)];
}

/** What leads from `base` to `other`, line by line. */
export function changesOf(base: string, other: string): Change[] {
  const a = Text.of(base.split("\n"));
  const b = Text.of(other.split("\n"));
  return Chunk.build(a, b).map((chunk) => ({
    ...linesOf(a, chunk.fromA, chunk.toA),
    lines: textOf(b, chunk.fromB, chunk.toB),
  }));
}

/** A chunk ends at the beginning of the line after it. */
function linesOf(doc: Text, from: number, to: number): { from: number; to: number } {
  const first = from > doc.length ? doc.lines : doc.lineAt(from).number - 1;
  return {
    from: first,
    to: from === to ? first : to > doc.length ? doc.lines : doc.lineAt(to).number - 1,
  };
}

function textOf(doc: Text, from: number, to: number): string[] {
  const { from: first, to: last } = linesOf(doc, from, to);
  return Array.from({ length: last - first }, (_, i) => doc.line(first + i + 1).text);
}
