import type { TraceStep } from "../rpc/protocol.ts";
import { endOf, starts, turnsBack } from "./told.ts";

/*
 * Where the time of a command went: its critical path, which is the chain of causes from what it came to up
 * to the command itself. What ran beside that chain is not on it.
 */

/** Time that the path spent in one chapter of the guide before it came to the next. */
export interface Stretch {
  /** Undefined where the steps are not held any more. */
  readonly chapter: string | undefined;
  /** Milliseconds. */
  readonly lasted: number;
}

export interface CriticalPath {
  /** In the order of time; no two neighbours are of one chapter. */
  readonly stretches: readonly Stretch[];
  /** What the path leads to: a container's start, the refusal, or the last step that there was. */
  readonly to: TraceStep;
  /** All of it, in milliseconds. */
  readonly lasted: number;
}

/**
 * The critical path of a command's steps (`caused` in told.ts); undefined if there are none. Time between a
 * step's beginning and the next one's is the first one's, whether somebody worked or all waited.
 */
export function criticalPath(steps: readonly TraceStep[]): CriticalPath | undefined {
  const [command] = steps;
  const to = starts(steps).at(-1) ?? lastRefusal(steps) ?? steps.at(-1);
  if (!command || !to) return undefined;
  const chain = chainTo(to, steps);
  const lasted = endOf(to, command);
  const begins = (step: TraceStep) => step.at - command.at;
  const stretches: { chapter: string | undefined; lasted: number }[] = [];
  let now = 0;
  const goTo = (when: number, chapter: string | undefined) => {
    // Nodes have clocks of their own: time does not go back, nor on behind the end.
    const then = Math.min(Math.max(when, now), lasted);
    const last = stretches.at(-1);
    if (last?.chapter === chapter && last) last.lasted += then - now;
    else if (then > now) stretches.push({ chapter, lasted: then - now });
    now = then;
  };
  const [top = to] = chain;
  if (top !== command) goTo(begins(top), undefined);
  chain.forEach((step, i) => {
    const next = chain[i + 1];
    goTo(next ? begins(next) : lasted, step.chapter);
  });
  return { stretches, to, lasted };
}

/** A step behind its causes, the first of them first, as far as they are held. */
function chainTo(to: TraceStep, steps: readonly TraceStep[]): TraceStep[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const chain = [to];
  for (let at = to; ;) {
    const cause = byId.get(at.cause ?? 0);
    // A cause began before what it caused: nothing can be above itself.
    if (!cause || cause.id >= at.id) return chain.reverse();
    chain.push(cause);
    at = cause;
  }
}

function lastRefusal(steps: readonly TraceStep[]): TraceStep | undefined {
  const byId = new Map(steps.map((step) => [step.id, step]));
  return steps.findLast((step) => turnsBack(step, byId));
}
