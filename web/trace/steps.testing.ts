import type { TraceStep } from "../rpc/protocol.ts";

/* What tests of steps have in common. */

/** A step of a kind, which began at the time of its number, by who is the kind's first word. */
export const step = (id: number, kind: string, more: Partial<TraceStep> = {}): TraceStep => ({
  id,
  at: id,
  kind,
  component: kind.split(".")[0] ?? "",
  chapter: "etcd",
  ...more,
});

/** The same below the step that caused it; 0 is none. */
export const caused = (
  id: number,
  cause: number,
  kind: string,
  more: Partial<TraceStep> = {},
): TraceStep => step(id, kind, { ...(cause ? { cause } : {}), ...more });
