/* Objects and events for the tests of what explains them. */
import type { Event, KubeObject } from "../kube/types.ts";
import { explain } from "./explain.ts";
import type { Around, Explanation } from "./types.ts";

const NOW = Date.parse("2026-11-23T12:00:00Z");
export const at = (secondsAgo: number) => new Date(NOW - secondsAgo * 1000).toISOString();

export interface Parts {
  apiVersion?: string;
  kind?: string;
  metadata?: object;
  spec?: object;
  status?: object;
}

export function object({
  apiVersion = "v1",
  kind = "Pod",
  metadata,
  spec,
  status,
}: Parts): KubeObject {
  const meta = { name: "web-1", namespace: "default", uid: "u", ...metadata };
  return { apiVersion, kind, metadata: meta, spec, status } as unknown as KubeObject;
}

export function event(reason: string, message: string, more: object = {}): Event {
  return {
    metadata: { name: "e", uid: "e", resourceVersion: "1" },
    involvedObject: { kind: "Pod", name: "web-1", namespace: "default", uid: "u" },
    type: "Warning",
    reason,
    message,
    lastTimestamp: at(1),
    ...more,
  };
}

export function why(parts: Parts, around: Partial<Around> = {}): Explanation | undefined {
  return explain(object(parts), { now: NOW, events: [], pods: [], ...around });
}

/** A pod of one container c, in a state. */
export function container(status: object, spec: object = {}, kind = "container"): Parts {
  const [specs, statuses] =
    kind === "init"
      ? ["initContainers", "initContainerStatuses"]
      : ["containers", "containerStatuses"];
  return {
    spec: { nodeName: "node-1", [specs]: [{ name: "c", image: "nginx:nope", ...spec }] },
    status: { phase: "Running", [statuses]: [{ name: "c", ready: false, ...status }] },
  };
}

export const BACK_OFF = {
  waiting: {
    reason: "CrashLoopBackOff",
    message: "back-off 20s restarting failed container=c pod=web-1_default(u)",
  },
};
export const ended = (more: object = {}) => ({
  terminated: { exitCode: 7, reason: "Error", startedAt: at(4), finishedAt: at(2), ...more },
});
export const RUNNING = { running: { startedAt: at(60) } };

/** Of a workload's pods. */
export const labels = { app: "web" };
/** A pod with them whose container crashes. */
export const crashing = object({
  ...container({ restartCount: 2, state: BACK_OFF, lastState: ended() }),
  metadata: {
    name: "web-1",
    labels,
    ownerReferences: [{ kind: "ReplicaSet", name: "web-5d", controller: true }],
  },
});
