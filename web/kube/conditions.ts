import type { Condition, KubeObject } from "./types.ts";

/** What a condition became, and when. An empty status means that the object no longer has it. */
export interface Transition {
  /** Milliseconds since 1970. */
  at: number;
  status: string;
  reason: string;
  message: string;
}

/** The conditions of one object over time, by type; the newest transition last. */
export type ConditionHistory = ReadonlyMap<string, readonly Transition[]>;

/** Transitions that are kept of one condition. */
const KEPT = 64;

/**
 * Adds what an object says now. The API keeps only the last transition of a condition, so what was
 * before it is known from the watch, or not at all.
 */
export function recordConditions(
  history: ConditionHistory,
  object: KubeObject,
  now: number,
): ConditionHistory {
  const conditions = conditionsOf(object);
  const next = new Map(history);
  const added: string[] = [];
  const add = (type: string, transition: Transition) => {
    next.set(type, [...(next.get(type) ?? []), transition].slice(-KEPT));
    added.push(type);
  };
  for (const { type, status, reason = "", message = "", lastTransitionTime } of conditions) {
    const last = next.get(type)?.at(-1);
    const same = last?.status === status;
    if (same && last.reason === reason) continue;
    const since = Date.parse(lastTransitionTime ?? "");
    // A reason may change without a transition: that is from now.
    const at = Number.isNaN(since) || same ? now : since;
    add(type, { at: Math.max(at, last?.at ?? 0), status, reason, message });
  }
  for (const [type, transitions] of history) {
    const here = conditions.some((condition) => condition.type === type);
    if (!here && transitions.at(-1)?.status !== "") {
      add(type, { at: now, status: "", reason: "", message: "" });
    }
  }
  return added.length > 0 ? next : history;
}

/** The conditions of any kind's status, if it has such. */
export function conditionsOf(object: KubeObject): Condition[] {
  const { status } = object as { status?: { conditions?: unknown } };
  if (!Array.isArray(status?.conditions)) return [];
  return (status.conditions as Partial<Condition>[]).filter(
    (c): c is Condition => typeof c.type === "string" && typeof c.status === "string",
  );
}

/** A piece of a condition's line, in parts of the whole from 0 to 1. */
export interface Segment {
  status: string;
  from: number;
  to: number;
  transition: Transition;
}

/** What is drawn for one condition between two points in time. */
export function segments(
  transitions: readonly Transition[],
  start: number,
  end: number,
): Segment[] {
  const length = Math.max(1, end - start);
  const part = (at: number) => Math.min(1, Math.max(0, (at - start) / length));
  return transitions.map((transition, i) => ({
    status: transition.status,
    from: part(transition.at),
    to: part(transitions[i + 1]?.at ?? end),
    transition,
  }));
}
