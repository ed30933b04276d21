import { changesOf } from "./merge.ts";

/** A line of a difference; "…" stands for lines that stayed as they were. */
export interface DiffLine {
  readonly mark: "+" | "-" | " " | "…";
  readonly text: string;
}

/** What leads from one text to another, with so many unchanged lines around each change. */
export function difference(before: string, after: string, around = 2): DiffLine[] {
  const old = before.split("\n");
  const all: DiffLine[] = [];
  let at = 0;
  const keep = (to: number) => {
    for (; at < to; at++) all.push({ mark: " ", text: old[at] ?? "" });
  };
  for (const { from, to, lines } of changesOf(`${before}\n`, `${after}\n`)) {
    keep(from);
    for (; at < to; at++) all.push({ mark: "-", text: old[at] ?? "" });
    all.push(...lines.map((text) => ({ mark: "+" as const, text })));
  }
  keep(old.length);
  const near = (i: number) => all.slice(Math.max(0, i - around), i + around + 1).some(changed);
  const out: DiffLine[] = [];
  all.forEach((line, i) => {
    if (near(i)) out.push(line);
    else if (out.at(-1)?.mark !== "…") out.push({ mark: "…", text: "" });
  });
  return out;
}

function changed({ mark }: DiffLine): boolean {
  return mark === "+" || mark === "-";
}
