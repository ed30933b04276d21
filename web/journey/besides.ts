import type { TraceStep } from "../rpc/protocol.ts";
import { isByTheWay, REQUEST, turnsBack, WRITE } from "../trace/told.ts";
import { textOf } from "../trace/words.ts";
import { PART } from "./order.ts";
import { paneSays } from "./pane-says.ts";
import type { Replayed } from "./replayed.ts";
import { requester } from "./requester.ts";

/* What is said beside a step that is told slowly: which answer goes back after it. */

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
    return { refused, answer: undefined };
  }
  // It may have begun before others of which is told first.
  const before = told.slice(0, told.indexOf(until) + 1);
  const refused = turnedBack(before, all);
  return { refused, answer: answerAfter(until, told, steps) };
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

/** How many letters there are to read of a step: what is `said` of it, its answer, and what stands in the pane. */
export function lettersOf(
  step: TraceStep,
  said: string,
  replayed: Pick<Replayed, "steps" | "told">,
  all: All,
): number {
  const { answer } = besides(step, replayed, all);
  const back = answer ? goesBack(answer) : "";
  return said.length + back.length + paneSays(step, replayed, all.values()).length;
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
