import type { TraceStep } from "../rpc/protocol.ts";
import { isAround, chapterOf, endOf, REQUEST, starts, turnsBack } from "./told.ts";

/*
 * Where the time of a command went: its critical path, which is the chain of causes from what it came to up
 * to the command itself. What ran beside that chain is not on it.
 */

/** Time that the path spent in one chapter of the guide, however often it came there. */
export interface Stretch {
  /** Undefined where the steps are not held any more; SERVING and WAITING are no chapters. */
  readonly chapter: string | undefined;
  /** Milliseconds. */
  readonly lasted: number;
}

export interface CriticalPath {
  /** In the order in which the path came to each chapter for the first time. */
  readonly stretches: readonly Stretch[];
  /** What the path leads to: a container's start, the refusal, or the last step that there was. */
  readonly to: TraceStep;
  /** All of it, in milliseconds. */
  readonly lasted: number;
  /** The requests that the API server served on the way: each of them went through its chapters. */
  readonly requests: number;
}

/** In the place of a chapter: nothing on the way was under way. */
export const WAITING = "waiting";

/**
 * In the place of a chapter: a request was served, and none of what it is made of by the other chapters was under
 * way. It was read, decoded, encoded and answered, or had no turn: in the tab one thread does everything.
 */
export const SERVING = "serving";

/**
 * Milliseconds by which an end may seem to be behind what came after it: a browser's clock says when a step began
 * in whole ones (web/worker/clock.ts), and how long it took is known better.
 */
const GRAIN = 1;

/** How deep steps are looked for within steps. */
const LEVELS = 8;

/**
 * The critical path of a command's steps (`caused` in told.ts); undefined if there are none. Time between a
 * step's beginning and the next one's is that of the steps which the first one did meanwhile, one after the other,
 * else its own as long as it lasted, and then nobody's: an event was on its way, or an item in a queue.
 */
export function criticalPath(steps: readonly TraceStep[]): CriticalPath | undefined {
  const [command] = steps;
  const to = starts(steps).at(-1) ?? lastRefusal(steps) ?? steps.at(-1);
  if (!command || !to) return undefined;
  const chain = chainTo(to, steps);
  const lasted = endOf(to, command);
  const begins = (step: TraceStep) => step.at - command.at;
  const times = new Map<string | undefined, number>();
  let now = 0;
  const goTo = (when: number, chapter: string | undefined) => {
    // Nodes have clocks of their own: time does not go back, nor on behind the end.
    const then = Math.min(Math.max(when, now), lasted);
    if (then > now) times.set(chapter, (times.get(chapter) ?? 0) + then - now);
    now = then;
  };
  const parts = partsOf(steps, new Set(chain));
  const byId = new Map(steps.map((step) => [step.id, step]));
  const requests = new Set(chain.filter(({ kind }) => kind === REQUEST));
  const placeOf = (step: TraceStep) => (isAround(step) ? SERVING : chapterOf(step, byId));
  /** Goes on to `until` by what the step did until then. */
  const through = (step: TraceStep, until: number, level = 0) => {
    if (level < LEVELS)
      for (const part of inTurn(parts.get(step.id) ?? [], command.at + until)) {
        goTo(begins(part), placeOf(step));
        if (part.kind === REQUEST && begins(part) < lasted) requests.add(part);
        through(part, begins(part) + (part.took ?? 0), level + 1);
      }
    const own = begins(step) + (step.took ?? 0);
    goTo(Math.min(until, own), placeOf(step));
    goTo(until, WAITING);
  };
  const [top = to] = chain;
  if (top !== command) goTo(begins(top), undefined);
  chain.forEach((step, i) => {
    const next = chain[i + 1];
    through(step, next ? begins(next) : lasted);
  });
  const stretches = [...times].map(([chapter, own]) => ({ chapter, lasted: own }));
  return { stretches, to, lasted, requests: requests.size };
}

/** What each step did itself: what it caused that was over before it was. What is of the chain has its own turn. */
function partsOf(
  steps: readonly TraceStep[],
  chain: ReadonlySet<TraceStep>,
): ReadonlyMap<number, readonly TraceStep[]> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const parts = new Map<number, TraceStep[]>();
  for (const step of steps) {
    const whole = byId.get(step.cause ?? 0);
    if (!whole || whole.id >= step.id || step.at < whole.at || chain.has(step)) continue;
    if (endOf(step, whole) > (whole.took ?? 0) + GRAIN) continue;
    const known = parts.get(whole.id);
    if (known) known.push(step);
    else parts.set(whole.id, [step]);
  }
  return parts;
}

/** Those of them that were done one after the other before `until`; of two at a time the one that ended last. */
function inTurn(parts: readonly TraceStep[], until: number): readonly TraceStep[] {
  const end = ({ at, took = 0 }: TraceStep) => at + took;
  const found: TraceStep[] = [];
  let before = until;
  for (const part of [...parts].sort((a, b) => end(b) - end(a))) {
    if (part.at > before || end(part) > before + GRAIN || !part.took) continue;
    found.push(part);
    before = part.at;
  }
  return found.reverse();
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
