import type { TraceStep } from "../rpc/protocol.ts";
import { otherWrites } from "./other-writes.ts";
import type { Replayed } from "./replayed.ts";
import { whatFor } from "./what-for.ts";

/** What stands above a step's data or its object: what it is for, and which revisions others wrote before it. */
export function paneSays(
  step: TraceStep,
  { steps, told }: Pick<Replayed, "steps" | "told">,
  all: Iterable<TraceStep>,
): string {
  const before = told.slice(0, told.indexOf(step) + 1);
  return [whatFor(step, told), otherWrites(step, before, steps, all)].filter(Boolean).join(" ");
}
