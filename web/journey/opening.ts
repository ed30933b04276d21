import type { TraceStep } from "../rpc/protocol.ts";
import { objectName, sentence } from "../trace/words.ts";

/**
 * What is said of a step while a command is told. The scheduler's attempt is told before its parts, and what it
 * came to is theirs to tell: said of it is what it sets out to do. Alone, or at the end of all, it says its outcome.
 */
export function opening(step: TraceStep, told: readonly TraceStep[]): string {
  if (step.kind !== "scheduler.attempt") return sentence(step);
  const parts = told.some((one) => one.cause === step.id && one.kind.startsWith("scheduler."));
  return parts ? `looks for a node for ${objectName(step.object)}` : sentence(step);
}
