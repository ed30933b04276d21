import { byName } from "../kube/order.ts";
import type { Placement, Slot } from "../kube/placement.ts";
import type { PodState } from "../kube/podstate.ts";
import type { Node, Row } from "../kube/types.ts";
import { NOWHERE, nowhere, type Grouping } from "./grouping.ts";

/** One column, block or tile of the map. */
export interface Group {
  key: string;
  label: string;
  /** The node itself, where pods stand by node and it is known. */
  node: Row<Node> | undefined;
  /** True for a node that there is no more: what is said of its pods is what was known last. */
  gone: boolean;
  /** True for a place that is no thing of its own: unscheduled, without the label. */
  loose: boolean;
  slots: readonly Slot[];
}

/**
 * The groups in the order in which they are drawn: nodes by their names, empty ones included;
 * others as they came, so that none moves. Pods that stand nowhere come last. `listed` says that
 * `nodes` are all that there are, so that one that is not among them is gone.
 */
export function groupsOf(
  placement: Placement,
  nodes: Iterable<Row<Node>>,
  grouping: Grouping,
  listed = false,
): Group[] {
  const groups: Group[] = [];
  const seen = new Set<string>([NOWHERE]);
  const add = (key: string, label: string, node?: Row<Node>, loose = false, gone = false) => {
    seen.add(key);
    const slots = placement.get(key) ?? [];
    groups.push({ key, label, node, loose, gone, slots: gone ? slots.map(unknown) : slots });
  };
  if (grouping.by === "node") {
    for (const node of [...nodes].sort(byNodeName)) {
      add(node.object.metadata.name, node.object.metadata.name, node);
    }
  }
  for (const key of placement.keys()) {
    // A pod may name a node that is gone or not listed yet: it must not vanish from the map.
    const byNode = grouping.by === "node";
    if (!seen.has(key)) add(key, key, undefined, byNode, byNode && listed);
  }
  if (grouping.by === "node" || (placement.get(NOWHERE)?.length ?? 0) > 0) {
    add(NOWHERE, `(${nowhere(grouping)})`, undefined, true);
  }
  return groups;
}

/** Nobody reports of a pod whose node is gone; it stays until the garbage collector takes it. */
function unknown(slot: Slot): Slot {
  return { ...slot, state: "unknown" };
}

function byNodeName(a: Row<Node>, b: Row<Node>): number {
  return byName(a.object.metadata.name, b.object.metadata.name);
}

/** From the worst on: what a tile shows of its pods. A group that is well shows none. */
const WORST: readonly PodState[] = [
  "failing",
  "unknown",
  "pending",
  "unready",
  "standin",
  "terminating",
];

export function worst(slots: readonly Slot[]): PodState | undefined {
  let at = WORST.length;
  for (const { state, leftAt } of slots) {
    if (leftAt !== undefined) continue;
    const rank = WORST.indexOf(state);
    if (rank >= 0 && rank < at) at = rank;
  }
  return WORST[at];
}

/** How many pods are in each state, in words: "120 Running, ready, 3 Failing". */
export function tally(
  slots: Iterable<Slot>,
  words: readonly { state: PodState; label: string }[],
): string {
  const count = new Map<PodState, number>();
  for (const { state, leftAt } of slots) {
    if (leftAt === undefined) count.set(state, (count.get(state) ?? 0) + 1);
  }
  return words
    .filter(({ state }) => count.has(state))
    .map(({ state, label }) => `${count.get(state) ?? 0} ${label.toLowerCase()}`)
    .join(", ");
}

/** How the map is drawn: names, squares, or a tile for each group. */
export type Scale = "named" | "squares" | "tiles";

/** The more there is, the less is drawn of each. */
export function scaleOf(groups: readonly Group[]): Scale {
  if (groups.length > 150) return "tiles";
  const pods = groups.reduce((sum, { slots }) => sum + slots.length, 0);
  return pods > 400 || groups.length > 40 ? "squares" : "named";
}
