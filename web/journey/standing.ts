import type { Collection } from "../kube/collection.ts";
import { podState, type PodState } from "../kube/podstate.ts";
import type { Pod, Row } from "../kube/types.ts";
import type { Moment } from "./moment.ts";

/*
 * The pods that stand in each node's box. As it happens, those that are there, whichever command made
 * them; slowly, a command's own as far as it has come, and beside them the others that are there.
 */

type Pods = Moment["pods"];

const STARTED: ReadonlySet<PodState> = new Set([
  "running",
  "standin",
  "unready",
  "terminating",
  "succeeded",
]);

/** How many of them have started. */
export function startedOf(pods: Iterable<PodState>): number {
  return [...pods].filter((state) => STARTED.has(state)).length;
}

/** What stands where. `moment` is the command's own; `slowly`, if it is looked at until one step. */
export function standing(
  { synced, rows }: Collection<Pod>,
  { pods, own }: Pick<Moment, "pods" | "own">,
  slowly: boolean,
): Pods {
  // Until the first list has come nothing is known but what the steps tell.
  if (!synced) return pods;
  const found = new Map<string, Map<string, PodState>>();
  const add = (node: string, pod: string, state: PodState) =>
    found.set(node, (found.get(node) ?? new Map<string, PodState>()).set(pod, state));
  for (const row of rows.values()) {
    const node = nodeOf(row);
    if (node === "" || (slowly && own.has(nameOf(row)))) continue;
    add(node, nameOf(row), podState(row));
  }
  if (slowly)
    for (const [node, there] of pods) for (const [pod, state] of there) add(node, pod, state);
  return found;
}

/** A row may have the object's metadata only. */
function nodeOf({ object }: Row<Pod>): string {
  return (object as Partial<Pod>).spec?.nodeName ?? "";
}

function nameOf({ object: { metadata } }: Row<Pod>): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
