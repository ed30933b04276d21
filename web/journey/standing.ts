import type { Collection } from "../kube/collection.ts";
import { byName } from "../kube/order.ts";
import { podState, type PodState } from "../kube/podstate.ts";
import type { Pod, Row } from "../kube/types.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import type { Moment } from "./moment.ts";

/*
 * The pods that stand in each node's box. As it happens, those that are there, whichever command made
 * them; slowly, a command's own as far as it has come, and beside them the others that were there by then.
 */

type Pods = Moment["pods"];

const STARTED: ReadonlySet<PodState> = new Set([
  "running",
  "standin",
  "unready",
  "terminating",
  "succeeded",
]);

/** Of a node's pods those that are drawn where `room` have room, by name: of too many first what is unusual. */
export function drawnOf(
  pods: ReadonlyMap<string, PodState>,
  room: number,
): readonly (readonly [name: string, state: PodState])[] {
  const all = [...pods].sort(([a], [b]) => byName(a, b));
  if (all.length <= room) return all;
  const plain = ([, state]: (typeof all)[number]) => Number(state === "running");
  // The number of the others has the room of two.
  return all.sort((a, b) => plain(a) - plain(b)).slice(0, Math.max(1, room - 2));
}

export function hasStarted(state: PodState): boolean {
  return STARTED.has(state);
}

/** How many of them have started. */
export function startedOf(pods: Iterable<PodState>): number {
  return [...pods].filter(hasStarted).length;
}

/** What stands where. `moment` is the command's own; slowly, it is looked at until one step. */
export function standing(
  { synced, rows }: Collection<Pod>,
  { pods, own }: Pick<Moment, "pods" | "own">,
  until: TraceStep | undefined,
): Pods {
  // Until the first list has come nothing is known but what the steps tell.
  if (!synced) return pods;
  const found = new Map<string, Map<string, PodState>>();
  const add = (node: string, pod: string, state: PodState) =>
    found.set(node, (found.get(node) ?? new Map<string, PodState>()).set(pod, state));
  const standIns = new Set<string>();
  for (const row of rows.values()) {
    const [node, name, state] = [nodeOf(row), nameOf(row), podState(row)];
    if (state === "standin") standIns.add(name);
    if (node === "" || (until && (own.has(name) || madeAt(row) > until.at))) continue;
    add(node, name, state);
  }
  if (!until) return found;
  for (const [node, there] of pods) {
    for (const [pod, state] of there) {
      // No step says so; it is one for as long as it runs, ready or not.
      const runs = state === "running" || state === "unready";
      add(node, pod, runs && standIns.has(pod) ? "standin" : state);
    }
  }
  return found;
}

/** A row may have the object's metadata only. */
function nodeOf({ object }: Row<Pod>): string {
  return (object as Partial<Pod>).spec?.nodeName ?? "";
}

/** When it was made, in milliseconds: a whole second, the one in which it was. */
function madeAt({ object: { metadata } }: Row<Pod>): number {
  return Date.parse(metadata.creationTimestamp ?? "") || 0;
}

function nameOf({ object: { metadata } }: Row<Pod>): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
