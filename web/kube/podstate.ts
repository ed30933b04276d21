import { standIns } from "./standin.ts";
import type { Pod, Row } from "./types.ts";

/** How a pod is drawn. Its words are always kubectl's STATUS; this only picks shape and colour. */
export type PodState =
  | "running"
  | "standin"
  | "unready"
  | "pending"
  | "failing"
  | "terminating"
  | "succeeded"
  | "unknown";

/** Every state with the words of the legend, in the order of the legend. */
export const POD_STATES: readonly { state: PodState; label: string }[] = [
  { state: "running", label: "Running, ready" },
  { state: "standin", label: "Stand-in, image not in the tab" },
  { state: "unready", label: "Running, not ready" },
  { state: "pending", label: "Pending" },
  { state: "failing", label: "Failing" },
  { state: "terminating", label: "Terminating" },
  { state: "succeeded", label: "Completed" },
  { state: "unknown", label: "Unknown" },
];

/** STATUS words that stand for work under way rather than for a failure. */
const STARTING = /^(Pending|ContainerCreating|PodInitializing|SchedulingGated|Init:\d+\/\d+)$/;

const known = new WeakMap<Row<Pod>, PodState>();

/** The state of a pod, from the cells that upstream's printer made for it. */
export function podState(row: Row<Pod>): PodState {
  // A row does not change; with thousands of pods it is asked for in every frame.
  let state = known.get(row);
  if (state === undefined) {
    state = stateOf(row);
    known.set(row, state);
  }
  return state;
}

function stateOf(row: Row<Pod>): PodState {
  const { object, cells } = row;
  const status = cells.Status ?? "";
  if (object.metadata.deletionTimestamp) return "terminating";
  if (status === "Running") {
    if (standIns(object).length > 0) return "standin";
    return isReady(row) ? "running" : "unready";
  }
  if (status === "Completed" || status === "Succeeded") return "succeeded";
  if (status === "Unknown" || status === "") return "unknown";
  if (STARTING.test(status)) return "pending";
  return "failing";
}

/** By its condition, or by the cell READY where the row has only the object's metadata. */
function isReady({ object, cells }: Row<Pod>): boolean {
  const { status } = object as Partial<Pod>;
  if (!status) {
    const [ready, of] = (cells.Ready ?? "").split("/");
    return of !== undefined && ready === of;
  }
  return status.conditions?.some((c) => c.type === "Ready" && c.status === "True") ?? false;
}
