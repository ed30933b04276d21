import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { momentOf, writtenBefore } from "./moment.ts";

const step = (kind: string, component: string, more: Partial<TraceStep> = {}): TraceStep => ({
  id: 1,
  at: 0,
  kind,
  component,
  chapter: "etcd",
  ...more,
});

test("a moment has what the steps so far have come to; details of any shape end nothing", () => {
  const pod = { resource: "pods", name: "a" };
  const steps = [
    step("etcd.put", "etcd", { details: { revision: 7 } }),
    step("scheduler.bind", "kube-scheduler", { details: { node: "node-1" }, object: pod }),
    step("apiserver.request", "c", { id: 2, at: 1, object: { ...pod, subresource: "binding" } }),
    step("etcd.put", "etcd", { id: 3, at: 2, cause: 2, object: pod }),
    step("cri.StartContainer", "kubelet", { at: 4, node: "node-1", object: pod }),
  ];
  // A pod is bound once its Binding is stored, and not when the scheduler has chosen.
  const until = (at: number) => {
    const one = { ...step("x.y", "c"), at, id: 9 };
    return momentOf([...steps.filter((before) => before.at <= at), one, ...steps.slice(-1)], one);
  };
  expect(until(1).pods.get("node-1")).toBeUndefined();
  expect(until(3).pods.get("node-1")).toEqual(new Map([["/a", "pending"]]));
  expect(momentOf(steps)).toMatchObject({ revision: "7" });
  expect(momentOf(steps).pods.get("node-1")).toEqual(new Map([["/a", "running"]]));
  for (const details of [null, 3, [], { asked: 7, plugins: [null, 3], node: {} }]) {
    const kinds = ["etcd.put", "scheduler.bind", "authentication.accepted", "admission.mutating"];
    expect(() => momentOf(kinds.map((kind) => step(kind, "c", { details })))).not.toThrow();
  }
});

test("before a first command, the start says who is asked, plugin by plugin", () => {
  const start = [
    step("start.authentication", "kube-apiserver", {
      details: { names: ["client certificate", 7] },
    }),
    step("start.admission", "kube-apiserver", { details: { names: ["Priority"] } }),
    step("start.admission", "kube-apiserver", { details: { names: ["ServiceAccount"] } }),
    step("start.authorization", "kube-apiserver", { details: null }),
  ];
  const { asked } = momentOf([], undefined, start);
  expect(asked.get("authentication")).toEqual(["client certificate"]);
  expect(asked.get("admission")).toEqual(["Priority", "ServiceAccount"]);
  expect(asked.get("authorization")).toEqual([]);
});

test("a queue has what was added to it and not taken yet; scores are the last ones", () => {
  const taken = (id: number, at: number, waited: number) =>
    step("controllers.reconcile", "kube-controller-manager", {
      id,
      at,
      details: { queue: "replicaSet", controller: "replicaset-controller", waited },
    });
  const object = { resource: "pods", name: "p" };
  const score = step("scheduler.score", "kube-scheduler", {
    at: 4,
    object,
    details: {
      chosen: "b",
      nodes: [
        { node: "a", total: 1 },
        { node: "b", total: 9 },
      ],
    },
  });
  const now = step("scheduler.reserve", "c", { id: 2, at: 5, object });
  const moment = momentOf([score, now, taken(3, 6, 2), taken(4, 7, 4), taken(5, 9, 1)], now);
  expect([...moment.waiting]).toEqual([["replicaset controller", 2]]);
  expect(moment.scores.get("b")).toEqual({ total: "9", chosen: true, byChance: false });
  expect(moment.scores.get("a")?.chosen).toBe(false);
});

test("scores go away when their pod is placed; of several best, the one taken is taken by chance", () => {
  const of = (name: string) => ({ object: { resource: "pods", name } });
  const nodes = ["a", "b", "c"].map((node) => ({ node, total: node === "c" ? 3 : 7 }));
  const steps = [
    step("scheduler.score", "s", { id: 1, at: 1, ...of("one"), details: { chosen: "b", nodes } }),
    step("scheduler.bind", "s", { id: 2, at: 2, ...of("other"), details: { node: "a" } }),
    step("scheduler.bind", "s", { id: 3, at: 3, ...of("one"), details: { node: "b" } }),
  ];
  const [scored, other, placed] = steps.map((until) => momentOf(steps, until).scores);
  expect(scored?.get("b")).toEqual({ total: "7", chosen: true, byChance: true });
  expect(scored?.get("a")).toEqual({ total: "7", chosen: false, byChance: false });
  expect(placed?.size).toBe(0);
  // What is done with another pod meanwhile, by a kubelet or the scheduler, has nothing to do with them.
  expect(other?.size).toBe(0);
  const kubelet = step("kubelet.syncPod", "kubelet", { id: 4, at: 1, ...of("other") });
  expect(momentOf([...steps, kubelet], kubelet).scores.size).toBe(0);
});

test("a station is passed when it is told so, not when it is known whom it would ask", () => {
  const start = [
    step("start.authentication", "kube-apiserver", { details: { names: ["x509", "anonymous"] } }),
  ];
  const steps = [
    step("kubectl.command", "kubectl", { id: 1, at: 1 }),
    step("authentication.accepted", "kube-apiserver", {
      id: 2,
      at: 2,
      details: { asked: [{ name: "x509", answer: "accepted" }] },
    }),
  ];
  expect(momentOf(steps, steps[0], start).passed.size).toBe(0);
  expect(momentOf(steps, steps[0], start).asked.get("authentication")).toHaveLength(2);
  expect([...momentOf(steps, steps[1], start).passed]).toEqual(["authentication"]);
});

test("the stations have what the request at hand has met, and not the one before it", () => {
  const start = [step("start.admission", "kube-apiserver", { details: { names: ["Priority"] } })];
  const plugins = [{ name: "LimitRanger", changed: true }];
  const steps = [
    step("apiserver.request", "kube-apiserver", { id: 1, at: 1 }),
    step("admission.mutating", "kube-apiserver", { id: 2, at: 2, cause: 1, details: { plugins } }),
    step("controllers.reconcile", "kube-controller-manager", { id: 3, at: 3, cause: 1 }),
    step("apiserver.request", "kube-apiserver", { id: 4, at: 4, cause: 3 }),
    step("authentication.accepted", "kube-apiserver", { id: 5, at: 5, cause: 4 }),
  ];
  const at = (until?: TraceStep) => momentOf(steps, until, start);
  const first = at(steps[1]);
  expect([...first.passed]).toEqual(["admission"]);
  expect(first.acted.get("admission")).toEqual(new Set(["LimitRanger"]));
  // Between two requests it is the last one's.
  expect([...at(steps[2]).passed]).toEqual(["admission"]);
  for (const later of [steps[3], steps[4]]) {
    expect(at(later).asked.get("admission")).toEqual(["Priority"]);
    expect(at(later).acted.get("admission")).toBeUndefined();
  }
  expect([...at(steps[4]).passed]).toEqual(["authentication"]);
  expect([...at().passed]).toEqual(["admission", "authentication"]);
});

test("between two requests the stations have what that one has met of which a step came, and no other's", () => {
  const by = (id: number, cause: number, name: string) =>
    step("authorization.allowed", "kube-apiserver", {
      id,
      at: id,
      cause,
      details: { asked: [{ name }] },
    });
  const steps = [
    step("apiserver.request", "kube-apiserver", { id: 1, at: 1 }),
    by(2, 1, "RBAC"),
    step("etcd.put", "etcd", { id: 3, at: 3, cause: 1, details: { revision: 7 } }),
    step("apiserver.request", "kube-apiserver", { id: 4, at: 4 }),
    by(5, 4, "group system:masters"),
    step("etcd.watched", "etcd", { id: 6, at: 6, cause: 3 }),
    step("controllers.informed", "kube-controller-manager", { id: 7, at: 7, cause: 6 }),
  ];
  for (const until of [steps[5], steps[6]]) {
    expect(momentOf(steps, until).asked.get("authorization")).toEqual(["RBAC"]);
  }
});

test("what a node's runtime makes is known until the container has started, with the address that it got", () => {
  const on = (kind: string, id: number, details: unknown = {}) =>
    step(kind, "kubelet", {
      id,
      at: id,
      node: "n",
      details,
      object: { resource: "pods", name: "p" },
    });
  const steps = [
    on("cri.RunPodSandbox", 1),
    on("cni.network", 2, { ips: ["10.244.0.2"] }),
    on("cri.pause", 3),
    on("cri.CreateContainer", 4),
    on("cri.StartContainer", 5),
    on("cri.RunPodSandbox", 6),
    on("cri.PullImage", 7, { error: "not found" }),
  ];
  expect(steps.map((until) => momentOf(steps, until).making.get("n"))).toEqual([
    { what: "sandbox", address: "" },
    { what: "network", address: "10.244.0.2" },
    { what: "pause", address: "10.244.0.2" },
    { what: "container", address: "10.244.0.2" },
    undefined,
    { what: "sandbox", address: "" },
    undefined,
  ]);
});

test("a transaction that wrote nothing is no revision", () => {
  const put = step("etcd.put", "etcd", { id: 1, at: 1, details: { revision: 7 } });
  const late = step("etcd.put", "etcd", { id: 2, at: 2, details: { succeeded: false } });
  const all = new Map([put, late].map((one) => [one.id, one]));
  expect(writtenBefore(all, undefined, [])).toBe("7");
  // The command's own one is not there before it is told.
  expect(writtenBefore(all, undefined, [put])).toBe("");
});

test("a deletion is a write, too: its revision stands in etcd's box", () => {
  const gone = { revision: 8, succeeded: true };
  const steps = [
    step("etcd.put", "etcd", { id: 1, at: 1, details: { revision: 7 } }),
    step("etcd.delete", "etcd", { id: 2, at: 2, details: gone }),
    step("etcd.delete", "etcd", { id: 3, at: 3, details: { succeeded: false } }),
  ];
  expect(momentOf(steps, steps[1]).revision).toBe("8");
  expect(momentOf(steps, steps[2]).revision).toBe("8");
  const all = new Map(steps.map((one) => [one.id, one]));
  expect(writtenBefore(all, undefined, [])).toBe("8");
});
