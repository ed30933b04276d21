import { podState, type PodState } from "./podstate.ts";
import type { Pod, Row } from "./types.ts";

/** One place in a column: a pod, or what is left of one for a moment. */
export interface Slot {
  uid: string;
  row: Row<Pod>;
  state: PodState;
  /** When it left (deleted, or bound to a node), in the clock of the actions. */
  leftAt?: number;
}

/** The pods of each group (a node, a namespace …) in stable order. */
export type Placement = ReadonlyMap<string, readonly Slot[]>;

/** The group of the pods that are on no node. */
export const UNSCHEDULED = "";

/** The group that a pod stands in. */
export type GroupOf = (row: Row<Pod>) => string;

export type PlacementAction =
  /** The pods as they are now, and what puts them together: by node unless it is said. */
  | { type: "pods"; pods: ReadonlyMap<string, Row<Pod>>; now: number; group?: GroupOf }
  /** Places everything anew, by other groups. */
  | { type: "regroup"; pods: ReadonlyMap<string, Row<Pod>>; now: number; group: GroupOf }
  /** Closes up the places of pods that left before `leftBefore`. */
  | { type: "settle"; leftBefore: number };

/**
 * Where each pod is drawn. A pod never moves while it stays on its node: new ones are added at the
 * end, and a place that became empty stays until it settles.
 */
export function reducePlacement(state: Placement, action: PlacementAction): Placement {
  switch (action.type) {
    case "settle":
      return settle(state, action.leftBefore);
    case "regroup":
      return place(new Map(), { ...action, type: "pods" });
    case "pods":
      return place(state, action);
  }
}

function place(
  state: Placement,
  { pods, now, group = nodeOf }: Extract<PlacementAction, { type: "pods" }>,
): Placement {
  const next = new Map<string, Slot[]>();
  const placed = new Set<string>();
  for (const [column, slots] of state) {
    next.set(
      column,
      slots.map((slot) => {
        if (slot.leftAt !== undefined) return slot;
        const row = pods.get(slot.uid);
        if (!row || group(row) !== column) return { ...slot, leftAt: now };
        placed.add(slot.uid);
        return row === slot.row ? slot : { uid: slot.uid, row, state: podState(row) };
      }),
    );
  }
  for (const [uid, row] of pods) {
    if (placed.has(uid)) continue;
    const column = group(row);
    const slots = next.get(column) ?? [];
    slots.push({ uid, row, state: podState(row) });
    next.set(column, slots);
  }
  return next;
}

function settle(state: Placement, leftBefore: number): Placement {
  const gone = (slot: Slot) => slot.leftAt !== undefined && slot.leftAt <= leftBefore;
  if (![...state.values()].some((slots) => slots.some(gone))) return state;
  const next = new Map<string, Slot[]>();
  for (const [column, slots] of state) {
    const left = slots.filter((slot) => !gone(slot));
    if (left.length > 0) next.set(column, left);
  }
  return next;
}

/** True while some place waits to be closed up. */
export function unsettled(state: Placement): boolean {
  return [...state.values()].some((slots) => slots.some((slot) => slot.leftAt !== undefined));
}

function nodeOf(row: Row<Pod>): string {
  return row.object.spec.nodeName ?? UNSCHEDULED;
}
