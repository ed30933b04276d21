import type { TraceStep } from "../rpc/protocol.ts";
import { isByTheWay, REQUEST, turnsBack, WRITE } from "../trace/told.ts";
import { textOf } from "../trace/words.ts";
import { PART } from "./order.ts";
import type { Replayed } from "./replayed.ts";
import { requester } from "./requester.ts";

/*
 * What is said beside a step that is told slowly: which answer goes back after it, and which revisions others wrote
 * before it.
 */

/** The answer to a request, whose last told step is looked at. */
export interface Answer {
  readonly request: TraceStep;
  /** HTTP's, as the request tells at its end. */
  readonly code: string;
  /** Who asked. */
  readonly to: string;
}

export interface Besides {
  /** Where the command was turned back until then. */
  readonly refused: TraceStep | undefined;
  readonly answer: Answer | undefined;
  /** In a sentence which revisions others wrote before it; empty for none. */
  readonly wrote: string;
}

type All = ReadonlyMap<number, TraceStep>;

/** `all` are the steps that the trace holds; without a step it is looked at as it happens. */
export function besides(
  until: TraceStep | undefined,
  { steps, told }: Pick<Replayed, "steps" | "told">,
  all: All,
): Besides {
  if (!until) {
    const refused = turnedBack(steps, all);
    return { refused, answer: undefined, wrote: "" };
  }
  // It may have begun before others of which is told first.
  const before = told.slice(0, told.indexOf(until) + 1);
  const refused = turnedBack(before, all);
  const wrote = otherWrites(until, before, steps, all.values());
  return { refused, answer: answerAfter(until, told, steps), wrote };
}

/** Where it was turned back last, until somebody asks for something else: a controller that is refused goes on. */
function turnedBack(steps: readonly TraceStep[], all: All): TraceStep | undefined {
  const at = steps.findLastIndex((step) => turnsBack(step, all));
  const refused = steps[at];
  // A pod that its node refuses stays refused, whatever is written of that.
  if (!refused || refused.kind === "kubelet.admission") return refused;
  const goesOn = steps
    .slice(at + 1)
    .some((step) => step.kind === REQUEST && !isByTheWay(step, all) && step.id !== refused.cause);
  return goesOn ? undefined : refused;
}

/** What is said of an answer. */
export function goesBack({ code, to }: Pick<Answer, "code" | "to">): string {
  return `Then ${code} goes back to ${to}.`;
}

/** How many letters there are to read beside what is said of a step. */
export function lettersOf({ wrote, answer }: Pick<Besides, "wrote" | "answer">): number {
  return wrote.length + (answer ? goesBack(answer).length : 0);
}

/** The answer that goes back after a step, if that is the last one told of its request. */
export function answerAfter(
  step: TraceStep,
  told: readonly TraceStep[],
  steps: readonly TraceStep[],
): Answer | undefined {
  const isOwn = ({ kind }: TraceStep) => PART.test(kind) || WRITE.test(kind);
  const request = isOwn(step)
    ? steps.find(({ id, kind }) => id === step.cause && kind === REQUEST)
    : undefined;
  const code = textOf(request?.details, "code");
  if (!request || code === "") return undefined;
  const last = told.findLast((one) => one.cause === request.id && isOwn(one));
  return last === step ? { request, code, to: requester(request, steps) } : undefined;
}

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
