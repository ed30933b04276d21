import type { TraceStep } from "../rpc/protocol.ts";
import { textOf } from "../trace/words.ts";

/*
 * Whose a scheduler's step is. A pod names its scheduler, and that never changes: what one step of the pod says
 * holds for all of them, those too that come before their attempt is told, which has their cause.
 */

/** Steps of a scheduler that say which one the pod asks for: nothing if that is the default one. */
const SAYS_WHOSE: ReadonlySet<string> = new Set([
  "scheduler.queued",
  "scheduler.moved",
  "scheduler.requeued",
  "scheduler.attempt",
]);

export class Schedulers {
  /** All but the default one; who acted last is at the end. */
  readonly names: readonly string[];
  readonly #byPod = new Map<string, string>();

  constructor(steps: readonly TraceStep[]) {
    for (const step of steps) {
      const name = saidBy(step);
      if (name !== "") this.#byPod.set(podOf(step), name);
    }
    const names = new Set<string>();
    // Most commands have the default one's pods only, and very many steps: those are gone through once.
    for (const step of this.#byPod.size > 0 ? steps : []) {
      const name = this.of(step);
      names.delete(name);
      names.add(name);
    }
    names.delete("");
    this.names = [...names];
  }

  /** The name of the scheduler whose step it is; empty for the default one, and for a step of somebody else. */
  of(step: TraceStep): string {
    if (!step.kind.startsWith("scheduler.")) return "";
    return (this.#byPod.size > 0 ? this.#byPod.get(podOf(step)) : undefined) ?? saidBy(step);
  }
}

/** The name of another scheduler than the default one that a step says its pod asks for; empty if it says none. */
const saidBy = (step: TraceStep) =>
  SAYS_WHOSE.has(step.kind) ? textOf(step.details, "profile") : "";

const podOf = ({ object }: TraceStep) => `${object?.namespace ?? ""}/${object?.name ?? ""}`;

/** The scheduler's step that asked for the Binding which a step has stored; undefined if none is held. */
export function bindOf(
  stored: TraceStep,
  steps: ReadonlyMap<number, TraceStep>,
): TraceStep | undefined {
  const request = steps.get(stored.cause ?? 0);
  const cause = steps.get(request?.cause ?? 0);
  if (cause?.kind === "scheduler.bind") return cause;
  // A scheduler in a pod asks over its network, which carries no cause: they have the pod in common.
  return [...steps.values()].findLast(
    (one) => one.kind === "scheduler.bind" && podOf(one) === podOf(stored),
  );
}
