import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { opening } from "./opening.ts";

const pod = { resource: "pods", namespace: "default", name: "web-1" };
const step = (id: number, kind: string, more: Partial<TraceStep>): TraceStep => ({
  id,
  at: id,
  kind,
  component: "kube-scheduler",
  chapter: "scheduler",
  object: pod,
  ...more,
});

test("an attempt whose parts are told says what it sets out to do, alone what it came to", () => {
  const attempt = step(1, "scheduler.attempt", { details: { node: "node-2" } });
  const filter = step(2, "scheduler.filter", { cause: 1, details: { feasible: 3, of: 3 } });
  const others = step(3, "scheduler.filter", { cause: 9 });
  expect(opening(attempt, [attempt, filter])).toBe("looks for a node for pod default/web-1");
  expect(opening(attempt, [attempt, others])).toContain("node-2");
  expect(opening(filter, [attempt, filter])).toContain("of 3 nodes");
});

test("a Binding that is told says what the scheduler asks for, and not that the pod is bound", () => {
  const bind = step(1, "scheduler.bind", { details: { node: "node-1", code: "Success" } });
  const request = step(2, "apiserver.request", { cause: 1 });
  expect(opening(bind, [bind, request])).toBe("asks for pod default/web-1 to be bound to node-1");
  // Of the later pods the request is not told.
  expect(opening(bind, [bind])).toBe("asks for pod default/web-1 to be bound to node-1");
  const refused = step(3, "scheduler.bind", { details: { node: "node-1", code: "Error" } });
  expect(opening(refused, [refused])).not.toContain("asks");
});

test("a request whose way is told has no answer yet, and kubectl's says what it is", () => {
  for (const [kind, lead] of [
    ["apiserver.request", ""],
    ["kubectl.request", "asks the API server: "],
  ] as const) {
    const request = step(1, kind, { details: { verb: "create", code: 201 } });
    const passed = step(2, "authentication.accepted", { cause: 1 });
    expect(opening(request, [request, passed])).toBe(`${lead}POST pods default/web-1`);
    expect(opening(request, [request])).toBe("POST pods default/web-1 201");
    expect(() => opening({ ...request, details: null }, [request, passed])).not.toThrow();
  }
});

test("a sync whose calls are told says what it is for, and alone that it has compared", () => {
  const sync = step(1, "kubelet.syncPod", { node: "node-1", details: { updateType: "create" } });
  const call = step(2, "cri.RunPodSandbox", { cause: 1 });
  expect(opening(sync, [sync, call])).toBe(
    "node-1 sets out to have pod default/web-1 run as it is written",
  );
  expect(opening(sync, [sync])).toContain("compared pod default/web-1");
  // Only the first one sets out.
  for (const details of [{ updateType: "sync" }, { updateType: "update" }, undefined]) {
    const next = { ...sync, details };
    expect(opening(next, [next, call])).toBe(
      "node-1 looks again whether pod default/web-1 runs as it is written",
    );
  }
});

test("a batch says what it creates, and what it came to only if a pod failed", () => {
  const batch = (details: object) => step(1, "controllers.batch", { details });
  const said = (details: object) => opening(batch(details), [batch(details)]);
  expect(said({ size: 1, remaining: 3 })).toBe(
    "creates 1 of the 3 pods that are missing, and the other 2 once that went well",
  );
  expect(said({ size: 2, remaining: 3 })).toBe(
    "creates 2 of the 3 pods that are missing, and the other one once that went well",
  );
  expect(said({ size: 2, remaining: 2 })).toBe("creates the 2 pods that are missing, together");
  expect(said({ size: 1, remaining: 1 })).toBe("creates the pod that is missing");
  expect(said({ size: 1, remaining: 3, failed: 1 })).toContain("1 failed");
});

test("what a component asks for because of what it saw is said in words, and before the request", () => {
  const work = step(1, "controllers.reconcile", {
    details: { queue: "deployment", controller: "deployment-controller" },
  });
  const request = (verb: string, object: object, cause = 1) =>
    step(2, "apiserver.request", { cause, object, details: { verb } });
  const set = { resource: "replicasets", namespace: "default", name: "web-7f8" };
  const said = (one: TraceStep, ...others: readonly TraceStep[]) =>
    opening(one, [one], [...others, one]);
  expect(said(request("create", set), work)).toBe(
    "so the deployment controller creates replicaset default/web-7f8: POST replicasets",
  );
  expect(said(request("update", set), work)).toContain("changes replicaset default/web-7f8: PUT");
  expect(said(request("delete", pod), work)).toContain("deletes pod default/web-1: DELETE pods");
  expect(said(request("update", { ...set, subresource: "status" }), work)).toBe(
    "so the deployment controller writes how far it is: PUT replicasets/status",
  );
  const binds = step(1, "scheduler.bind", {});
  expect(said(request("create", { ...pod, subresource: "binding" }), binds)).toBe(
    "so kube-scheduler has the node's name written into pod default/web-1: POST pods/binding",
  );
  const reports = step(1, "kubelet.status", { node: "node-1" });
  expect(said(request("patch", { ...pod, subresource: "status" }), reports)).toBe(
    "so the kubelet of node-1 writes how pod default/web-1 is: PATCH pods/status",
  );
  // What a person asks for, and what is asked in other ways, has the request's own words.
  const typed = step(1, "kubectl.request", {});
  expect(said(request("create", pod), typed)).toBe("POST pods default/web-1");
  const passed = step(3, "authentication.accepted", { cause: 2 });
  const made = request("create", pod);
  expect(opening(made, [typed, made, passed])).toBe(
    "takes the request up: POST pods default/web-1",
  );
  expect(said(request("create", pod, 9), work)).toBe("POST pods default/web-1");
  expect(said(request("list", { resource: "pods" }), work)).toBe("GET pods");
  expect(said(request("create", { ...pod, subresource: "eviction" }), work)).toContain("POST");
});

test("what is written exists from then on, and who watches hears of it", () => {
  const said = (one: TraceStep) => opening(one, [one]);
  const put = (details: object) =>
    said(step(1, "etcd.put", { details: { key: "/a", ...details } }));
  expect(put({ revision: 7 })).toBe("put /a at revision 7: now it exists");
  expect(put({ revision: 8, previous: 7 })).toBe("put /a at revision 8: now it is stored");
  expect(put({ succeeded: false, previous: 7 })).toBe("not put: /a has changed since");
  const watched = step(2, "etcd.watched", { details: { watch: "/a/", revision: 7 } });
  expect(said(watched)).toBe("told the watch of /a/: revision 7. So all who watch hear of it");
  const informed = step(3, "controllers.informed", {
    details: { event: "added", type: "v1.Pod", listeners: 2 },
  });
  expect(said(informed)).toMatch(/told 2 handlers, which put what there is to do into queues$/);
});
