import type { TraceStep } from "../rpc/protocol.ts";
import { actorOf, textOf } from "../trace/words.ts";

/** Who sent a request: what caused it acts. */
export function requester({ cause = 0, details }: TraceStep, steps: readonly TraceStep[]): string {
  const direct = steps.find(({ id }) => id === cause);
  // A batch is part of the work that names the controller.
  const by =
    direct?.kind === "controllers.batch"
      ? (steps.find(({ id }) => id === direct.cause) ?? direct)
      : direct;
  if (!by) return textOf(details, "agent") || "a client";
  if (by.kind.startsWith("scheduler.")) return "kube-scheduler";
  if (by.kind.startsWith("kubelet.") || by.node) return `kubelet${by.node ? ` of ${by.node}` : ""}`;
  if (by.kind.startsWith("etcd.")) return "a controller";
  return actorOf(by);
}
