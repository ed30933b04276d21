import type { TraceStep } from "../rpc/protocol.ts";
import { WRITE } from "../trace/told.ts";
import { textOf } from "../trace/words.ts";

/* Which revisions others wrote before a step that is told slowly. */

/** Of how many resources it is said that they were written meanwhile. */
const RESOURCES = 3;

/** Whose the revisions are between a write and the last told one before it, in a sentence; empty if there are none. */
export function otherWrites(
  put: TraceStep,
  before: readonly TraceStep[],
  ...known: readonly Iterable<TraceStep>[]
): string {
  const to = revisionOf(put) - 1;
  const from = 1 + Math.max(0, ...before.map((step) => (step === put ? 0 : revisionOf(step))));
  // What was written before the first of them is nothing that the reader has seen.
  if (from === 1 || to < from) return "";
  const whose = new Map<number, string>();
  for (const steps of known) {
    for (const step of steps) {
      const revision = revisionOf(step);
      if (revision >= from && revision <= to) whose.set(revision, resourceOf(step));
    }
  }
  const counts = new Map<string, number>();
  for (const resource of whose.values()) counts.set(resource, (counts.get(resource) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const rest = sorted.slice(RESOURCES).reduce((so, [, n]) => so + n, 0);
  const all = to - from + 1;
  const others = all - whose.size;
  const parts = [
    ...sorted
      .slice(0, RESOURCES)
      .map(([resource, n], i) => `${n}${i > 0 ? "" : writes(n)} to ${resource}`),
    ...(rest > 0 ? [`${rest} more`] : []),
    ...(others > 0 ? [`${others} by others`] : []),
  ];
  const which = all === 1 ? `Revision ${from}` : `Revisions ${from} to ${to}`;
  if (whose.size > 0) return `${which}: ${parts.join(", ")}.`;
  return all === 1 ? `${which} was another's write.` : `${which} were others' writes.`;
}

const writes = (n: number) => (n === 1 ? " write" : " writes");

/** The revision that a step wrote; 0 if it wrote none. */
function revisionOf({ kind, details }: TraceStep): number {
  return WRITE.test(kind) ? Number(textOf(details, "revision")) || 0 : 0;
}

/** What a step has written; a key has it for objects without one. */
function resourceOf({ object, details }: TraceStep): string {
  const [, , first = ""] = textOf(details, "key").split("/");
  return object?.resource ?? first;
}
