import type { TraceStep } from "../rpc/protocol.ts";
import { above } from "./told.ts";

/** Where somebody's work begins, whatever it came of: a container that started has its pod looked at again. */
const WORK = /^(controllers\.reconcile|scheduler\.attempt|kubelet\.syncPod)$/;

/** Who hears of something: what they do then is work of their own, and no part of what they heard of. */
const HEARD = /^(etcd\.(put|delete|watched)|controllers\.informed|scheduler\.queued|kubelet\.pod)$/;

/**
 * What a step is a part of: the request that it is done for, or who asked for that. Undefined where somebody's work
 * begins: what it came of is others' work.
 */
export function partOf(
  steps: Pick<ReadonlyMap<number, TraceStep>, "get">,
  step: TraceStep,
): TraceStep | undefined {
  const cause = above(steps, step);
  if (!cause || WORK.test(step.kind)) return undefined;
  // That a watch was told of a write is of that write.
  const told = step.kind === "etcd.watched" && cause.kind !== step.kind;
  return HEARD.test(cause.kind) && !told ? undefined : cause;
}
