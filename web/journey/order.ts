import type { TraceStep } from "../rpc/protocol.ts";
import { REQUEST, WRITE } from "../trace/told.ts";

/*
 * The order in which a command is told. Two requests are often under way at once, and by the clock their steps
 * alternate: one would be led from a station of the one to a station of the other, and back. What the server does for
 * a request until it writes is told in one piece, where it writes. So revisions go up, and causes come first.
 */

/** What the server does for a request. */
export const PART =
  /^(authentication|authorization|admission|validation|registry)\.|^apiserver\.(?!request$)/;

const known = new WeakMap<readonly TraceStep[], readonly TraceStep[]>();

/** A command's steps in the order in which they are told; whoever asks for the same ones again has the same list. */
export function inOrder(steps: readonly TraceStep[]): readonly TraceStep[] {
  const before = known.get(steps);
  if (before) return before;
  const ordered = ordering(steps);
  known.set(steps, ordered);
  known.set(ordered, ordered);
  return ordered;
}

function ordering(steps: readonly TraceStep[]): readonly TraceStep[] {
  const [first, ...rest] = steps;
  if (!first) return steps;
  // A real node's clock may be behind: the first stays first.
  const byTime = [first, ...rest.sort(earlier)];
  const ends = endsOf(byTime);
  /** The request that a step is a part of, or is, until that writes. */
  const within = ({ id, kind, cause = 0, at }: TraceStep) => {
    if (kind === REQUEST) return id;
    return (PART.test(kind) || WRITE.test(kind)) && at <= (ends.get(cause) ?? -1)
      ? cause
      : undefined;
  };
  const told = new Map<number, number>();
  for (const step of byTime) {
    const request = within(step);
    const when = request === undefined ? step.at : (ends.get(request) ?? step.at);
    told.set(step.id, Math.max(when, told.get(step.cause ?? 0) ?? when));
  }
  const when = ({ id, at }: TraceStep) => told.get(id) ?? at;
  const [root, ...below] = byTime;
  return root
    ? storedLast([root, ...below.sort((a, b) => when(a) - when(b) || earlier(a, b))])
    : [];
}

const earlier = (a: TraceStep, b: TraceStep) => a.at - b.at || a.id - b.id;

/** When each request writes for the first time, or the last of its parts begins if it writes nothing. */
function endsOf(byTime: readonly TraceStep[]): ReadonlyMap<number, number> {
  const requests = new Set(byTime.flatMap(({ id, kind }) => (kind === REQUEST ? [id] : [])));
  const wrote = new Map<number, number>();
  const last = new Map<number, number>();
  for (const { kind, cause = 0, at } of byTime) {
    if (!requests.has(cause)) continue;
    if (WRITE.test(kind) && !wrote.has(cause)) wrote.set(cause, at);
    if (PART.test(kind)) last.set(cause, at);
  }
  return new Map([...last, ...wrote]);
}

/**
 * The way through a registry lasts until all is written, and is told where it comes to that. What is read after a name
 * was found taken, to say so, comes after that was found.
 */
function storedLast(steps: TraceStep[]): readonly TraceStep[] {
  const puts = new Map<number, TraceStep>();
  for (const step of steps) {
    const { kind, cause = 0 } = step;
    if (kind === "etcd.put" && !puts.has(cause)) puts.set(cause, step);
  }
  const read = new Map<TraceStep, TraceStep>();
  for (const step of steps) {
    const put = step.kind === "registry.exists" ? puts.get(step.cause ?? 0) : undefined;
    if (put) read.set(put, step);
  }
  const stored = new Map<TraceStep, TraceStep>();
  for (const step of steps) {
    const put = step.kind === "registry.stored" ? puts.get(step.cause ?? 0) : undefined;
    if (put) stored.set(put, step);
  }
  const moved = new Set([...stored.values(), ...read.values()]);
  return steps.flatMap((step) =>
    moved.has(step) ? [] : [stored.get(step) ?? [], step, read.get(step) ?? []].flat(),
  );
}
