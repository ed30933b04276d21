import type { TraceKind, TraceStep } from "./protocol.ts";

/** By which a step finds its kind: the kind's name, and its variant after a slash. */
export function kindKey(of: TraceStep | TraceKind): string {
  const name = "kind" in of ? of.kind : of.name;
  return of.variant ? `${name}/${of.variant}` : name;
}
