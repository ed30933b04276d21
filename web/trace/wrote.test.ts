import { expect, test } from "vitest";
import type { TraceObject, TraceStep } from "../rpc/protocol.ts";
import { happened } from "./happened.ts";

/** Steps below a command, in the order of time; each cause is the number of a step, the command's is 1. */
class Told {
  readonly steps: TraceStep[] = [];

  constructor() {
    this.add(0, { kind: "kubectl.command", component: "kubectl" });
  }

  add(cause: number, more: Partial<TraceStep>): number {
    const id = this.steps.length + 1;
    this.steps.push({ id, at: id, component: "c", kind: "c.did", chapter: "etcd", cause, ...more });
    return id;
  }

  /** A request of kubectl's, as the server sees it: what comes of it is below that. */
  kubectl(method: string, verb: string, object: TraceObject, code = 200): number {
    const details = { method, path: `/x/${object.name ?? ""}`, code };
    const asked = this.add(1, { kind: "kubectl.request", component: "kubectl", took: 4, details });
    return this.request(asked, verb, object, code);
  }

  request(cause: number, verb: string, object: TraceObject, code = 200): number {
    const component = "kube-apiserver";
    return this.add(cause, {
      kind: "apiserver.request",
      component,
      object,
      details: { verb, code },
    });
  }

  /** A controller works because something was written. */
  works(cause: number, controller: string): number {
    const put = this.add(cause, { kind: "etcd.put", component: "etcd" });
    const details = { queue: controller, controller: `${controller}-controller` };
    return this.add(put, { kind: "controllers.reconcile", details });
  }

  said(): string {
    const lines = this.steps.map((step) => ({ step, depth: 0 }));
    const [command] = this.steps;
    if (!command) return "";
    return happened({ tree: () => lines }, command)
      .map(({ text, failed }) => (failed ? `✕ ${text}` : text))
      .join(" → ");
  }
}

const of = (resource: string, name: string, subresource?: string): TraceObject => ({
  resource,
  namespace: "default",
  name,
  ...(subresource ? { subresource } : {}),
});
const scale = of("deployments", "nginx", "scale");
const set = of("replicasets", "nginx-7f8");

/** A Deployment's scale is written, and its controller follows. */
function scaled(): { told: Told; sets: number } {
  const told = new Told();
  const deployment = told.works(told.kubectl("PATCH", "patch", scale), "deployment");
  const changed = told.request(deployment, "update", set);
  told.request(deployment, "update", of("deployments", "nginx", "status"));
  return { told, sets: told.works(changed, "replicaset") };
}

test("more replicas: who scaled, the pods that are made, and where they start", () => {
  const { told, sets } = scaled();
  const batch = told.add(sets, { kind: "controllers.batch" });
  for (const [i, name] of ["a", "b"].entries()) {
    const made = told.request(batch, "create", of("pods", name), 201);
    const details = { node: `node-${i + 1}`, code: "Success" };
    const bound = told.add(made, { kind: "scheduler.bind", object: of("pods", name), details });
    told.add(bound, { kind: "cri.StartContainer", component: "kubelet", took: 100 });
  }
  expect(told.said()).toBe(
    "PATCH deployments/scale 200 · 4.0 ms → deployment controller scaled rs nginx-7f8 → 2 pods → node-1, node-2 → 2 started · 115 ms",
  );
});

test("fewer replicas: the pods that are deleted, and that they stopped", () => {
  const { told, sets } = scaled();
  for (const name of ["a", "b"]) {
    const deleted = told.request(sets, "delete", of("pods", name));
    const component = "kubelet";
    const stops = told.add(deleted, { kind: "kubelet.syncTerminatingPod", component });
    told.add(stops, { kind: "cri.StopContainer", component, took: 50 });
    const ended = told.add(stops, { kind: "kubelet.syncTerminatedPod", component });
    told.request(ended, "delete", of("pods", name));
  }
  expect(told.said()).toBe(
    "PATCH deployments/scale 200 · 4.0 ms → deployment controller scaled rs nginx-7f8 → 2 pods deleted → 2 stopped · 66 ms",
  );
});

test("what is as it should be already: the request, and nothing that came of it", () => {
  const told = new Told();
  told.kubectl("PATCH", "patch", scale);
  expect(told.said()).toBe("PATCH deployments/scale 200 · 4.0 ms");
});

test("a ReplicaSet that is written, and of which no pods come or go, was not scaled", () => {
  const { told } = scaled();
  expect(told.said()).toBe("PATCH deployments/scale 200 · 4.0 ms");
});

test("another image: the new ReplicaSet with its pod, and the old one with its", () => {
  const told = new Told();
  const nginx = of("deployments", "nginx");
  const first = told.works(told.kubectl("PATCH", "patch", nginx), "deployment");
  const made = told.request(first, "create", of("replicasets", "nginx-new"), 201);
  const up = told.works(made, "replicaset");
  const ready = told.request(up, "create", of("pods", "new"), 201);
  const again = told.works(ready, "deployment");
  // The old one is written twice: it is one all the same.
  told.works(told.request(again, "update", set, 409), "replicaset");
  const down = told.works(told.request(again, "update", set), "replicaset");
  told.request(down, "delete", of("pods", "old"));
  told.request(down, "delete", of("pods", "old"));
  expect(told.said()).toBe(
    "PATCH deployments 200 · 4.0 ms → deployment controller made rs nginx-new → replicaset controller made pod new → deployment controller scaled rs nginx-7f8 → replicaset controller deleted pod old",
  );
});

test("a Deployment that is deleted takes what it owned with it", () => {
  const told = new Told();
  const nginx = of("deployments", "nginx");
  const work = told.works(told.kubectl("DELETE", "delete", nginx), "garbage-collector");
  for (const name of ["nginx-1", "nginx-2"]) told.request(work, "delete", of("replicasets", name));
  told.request(work, "delete", of("pods", "gone"), 404);
  told.request(work, "delete", of("pods", "a"));
  expect(told.said()).toBe(
    "DELETE deployments 200 · 4.0 ms → 2 rs deleted → garbage-collector controller deleted pod a",
  );
});

test("a Namespace that is deleted: all that is in it, by kind, and itself at last", () => {
  const told = new Told();
  const ns = { resource: "namespaces", name: "x" };
  const all = (resource: string) => ({ resource, namespace: "default" });
  const work = told.works(told.kubectl("DELETE", "delete", ns), "namespace");
  const deletes = (resource: string, kind: string, ...names: string[]) => {
    const request = told.request(work, "deletecollection", all(resource));
    for (const name of names) told.add(request, { kind, object: of(resource, name) });
  };
  deletes("pods", "etcd.put", "a", "b");
  deletes("events", "etcd.delete", "e");
  deletes("secrets", "etcd.delete");
  deletes("deployments", "etcd.delete", "nginx");
  told.request(work, "update", { ...ns, subresource: "status" });
  const last = told.request(work, "update", { ...ns, subresource: "finalize" });
  told.add(last, { kind: "etcd.delete", object: { ...ns, subresource: "finalize" } });
  expect(told.said()).toBe(
    "DELETE namespaces 200 · 4.0 ms → 2 pods deleted → namespace controller deleted deploy nginx → namespace controller deleted ns x",
  );
});

test("whose last finalizer is taken away is deleted, not changed", () => {
  const told = new Told();
  const nginx = of("deployments", "nginx");
  const work = told.works(told.kubectl("DELETE", "delete", nginx), "garbage-collector");
  const freed = told.request(work, "patch", nginx);
  const late = { object: nginx, details: { succeeded: false } };
  told.add(freed, { kind: "etcd.delete", ...late });
  expect(told.said()).toContain("garbage-collector controller changed deploy nginx");
  told.add(freed, { kind: "etcd.delete", object: nginx });
  expect(told.said()).toBe(
    "DELETE deployments 200 · 4.0 ms → garbage-collector controller deleted deploy nginx",
  );
});

test("a node that is drained: it is cordoned, its pods are evicted, and others are made", () => {
  const told = new Told();
  const node = { resource: "nodes", name: "node-1" };
  const cordoned = told.kubectl("PATCH", "patch", node);
  told.request(told.works(cordoned, "node-lifecycle"), "patch", node);
  const evicted = told.kubectl("POST", "create", of("pods", "a", "eviction"), 201);
  told.request(told.works(evicted, "replicaset"), "create", of("pods", "b"), 201);
  expect(told.said()).toBe(
    "PATCH nodes 200 · 4.0 ms → node-lifecycle controller changed node node-1 → POST pods/eviction 201 · 4.0 ms → replicaset controller made pod b",
  );
});

test("an autoscaler scales by the same subresource, and what only follows is not told", () => {
  const told = new Told();
  const made = told.kubectl("POST", "create", of("horizontalpodautoscalers", "nginx"), 201);
  told.request(told.works(made, "horizontal-pod-autoscaler"), "update", scale);
  told.request(told.works(made, "endpointslice"), "update", of("endpointslices", "nginx-x"));
  told.request(told.works(made, "job"), "patch", of("pods", "a"));
  expect(told.said()).toBe(
    "POST horizontalpodautoscalers 201 · 4.0 ms → horizontal-pod-autoscaler controller scaled deploy nginx",
  );
});

test("a dry run of kubectl's own says what was made and goes nowhere", () => {
  const told = new Told();
  const made = (name: string) =>
    told.add(1, { kind: "kubectl.object", details: { kind: "Pod", name, dryRun: "client" } });
  made("a");
  expect(told.said()).toBe("made Pod a, sent to nobody");
  made("b");
  expect(told.said()).toBe("made 2 objects, sent to nobody");
});

test("an object that is sent is told of by its request alone", () => {
  const told = new Told();
  told.add(1, { kind: "kubectl.object", details: { kind: "Pod", name: "a" } });
  told.kubectl("POST", "create", of("pods", "a"), 201);
  expect(told.said()).toBe("POST pods 201 · 4.0 ms");
});
