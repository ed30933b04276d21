import type { TraceStep } from "../rpc/protocol.ts";
import { textOf } from "./details.ts";

/** Who acts: a controller is known by its queue. */
export function actorOf({ kind, details, component }: TraceStep): string {
  const name = OF_A_QUEUE.has(kind) ? controllerOf(details) : "";
  return name === "" ? component : `${name} controller`;
}

/** Steps of a controller's worker, which name its queue. */
const OF_A_QUEUE: ReadonlySet<string> = new Set(["controllers.reconcile", "controllers.read"]);

/**
 * The controller whose queue it is, without its last word: "deployment", "taint-eviction". Upstream's name, which the
 * step has; a queue that is nobody's there has a name of its own.
 */
export function controllerOf(details: unknown): string {
  const controller = textOf(details, "controller");
  if (controller !== "") return controller.replace(/-controller$/, "");
  return textOf(details, "queue").replaceAll("_", "-");
}
