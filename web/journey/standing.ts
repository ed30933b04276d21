import type { Collection } from "../kube/collection.ts";
import { byName } from "../kube/order.ts";
import { podState, type PodState } from "../kube/podstate.ts";
import type { Pod } from "../kube/types.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import type { Moment } from "./moment.ts";
import { Past, seenOf, stateAt, type Seen } from "./past.ts";

/*
 * The pods that stand in each node's box. As it happens, those that are there, whichever command made
 * them; slowly, those that stood there at that moment, as the steps of all commands tell it, and what was seen of others.
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

/** What stands where. `moment` is the command's own; slowly, it is looked at until one step, and `past` is what was seen. */
export function standing(
  now: Collection<Pod>,
  { pods, told, supposed }: Pick<Moment, "pods" | "told" | "supposed">,
  until: TraceStep | undefined,
  past = new Past(),
): Pods {
  // Until the first list has come nothing is known but what the steps tell.
  if (!now.synced) return pods;
  const found = new Map<string, Map<string, PodState>>();
  const add = (node: string, pod: string, state: PodState) =>
    found.set(node, (found.get(node) ?? new Map<string, PodState>()).set(pod, state));
  past.note(now, Date.now());
  if (!until) {
    for (const row of now.rows.values()) {
      const { node, name } = seenOf(row);
      if (node !== "") add(node, name, podState(row));
    }
    return found;
  }
  const seen = new Map<string, Seen>();
  const standIns = new Set<string>();
  for (const one of past.pods) {
    const { name, node, states, made, gone } = one;
    if (states.some(({ state }) => state === "standin")) standIns.add(name);
    if (node === "" || made > until.at) continue;
    seen.set(name, one);
    const state = stateAt(one, until.at);
    if (state && !told.has(name) && gone > until.at) add(node, name, state);
  }
  for (const [on, there] of pods) {
    for (const [pod, by] of there) {
      const known = seen.get(pod);
      // That it was to go is told by a step.
      const was = supposed.has(pod) && known ? stateAt(known, until.at, "terminating") : by;
      const state = was ?? by;
      // No step says so; it is one for as long as it runs, ready or not.
      const runs = state === "running" || state === "unready";
      // One that was there before the first step may be known by the list alone.
      const node = on || known?.node;
      if (node) add(node, pod, runs && standIns.has(pod) ? "standin" : state);
    }
  }
  return found;
}
