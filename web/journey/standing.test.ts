import { expect, test } from "vitest";
import type { Collection } from "../kube/collection.ts";
import type { Pod, Row } from "../kube/types.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import { momentOf } from "./moment.ts";
import { Past } from "./past.ts";
import { drawnOf, standing, startedOf } from "./standing.ts";

const row = (name: string, node: string, status = "Running") =>
  ({
    object: {
      metadata: {
        name,
        namespace: "default",
        uid: name,
        // The word stands for this.
        ...(status === "Terminating" ? { deletionTimestamp: "2026-11-28T07:00:00Z" } : {}),
      },
      spec: { containers: [], ...(node ? { nodeName: node } : {}) },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    },
    cells: { Status: status },
  }) as unknown as Row<Pod>;
const list = (...rows: Row<Pod>[]): Collection<Pod> => ({
  synced: true,
  rows: new Map(rows.map((one) => [one.object.metadata.uid, one])),
});

const step = (id: number, kind: string, more: Partial<TraceStep> = {}): TraceStep => ({
  id,
  at: id,
  kind,
  component: "c",
  chapter: "etcd",
  ...more,
});
const own = { object: { resource: "pods", namespace: "default", name: "own" } };
const steps = [
  step(1, "kubectl.command"),
  step(2, "scheduler.bind", { ...own, details: { node: "node-1" } }),
  step(3, "apiserver.request", { object: { ...own.object, subresource: "binding" } }),
  step(4, "etcd.put", { ...own, cause: 3 }),
  step(5, "cri.StartContainer", { ...own, node: "node-1" }),
];
const there = list(
  row("own", "node-1"),
  row("old", "node-1"),
  row("slow", "node-2", "ContainerCreating"),
  row("waits", "", "Pending"),
);

/** How many stand in each node, and how many of them have started. */
const counts = (...args: Parameters<typeof standing>) =>
  new Map(
    [...standing(...args)].map(([node, there]) => [
      node,
      { bound: there.size, started: startedOf(there.values()) },
    ]),
  );

test("as it happens, all pods that are there stand in their nodes, whichever command made them", () => {
  expect(counts(there, momentOf([]), undefined)).toEqual(
    new Map([
      ["node-1", { bound: 2, started: 2 }],
      ["node-2", { bound: 1, started: 0 }],
    ]),
  );
});

test("what is gone does not stand there, though its command is the last one", () => {
  expect(counts(list(), momentOf(steps), undefined)).toEqual(new Map());
});

test("slowly, the command's own stand as far as it has come, beside the others", () => {
  const at = (i: number) => counts(there, momentOf(steps, steps[i]), steps[i]).get("node-1");
  expect(at(0)).toEqual({ bound: 1, started: 1 });
  expect(at(1)).toEqual({ bound: 1, started: 1 });
  expect(at(3)).toEqual({ bound: 2, started: 1 });
  expect(at(4)).toEqual({ bound: 2, started: 2 });
});

test("until pods are listed, what the steps tell stands there", () => {
  const unknown: Collection<Pod> = { synced: false, rows: new Map() };
  expect(counts(unknown, momentOf(steps), undefined).get("node-1")).toEqual({
    bound: 1,
    started: 1,
  });
});

test("slowly, what a command takes away stands there until it goes", () => {
  const gone = { object: { resource: "pods", namespace: "default", name: "gone" } };
  const key = "/registry/pods/default/gone";
  const taken = [
    step(1, "kubectl.command"),
    step(2, "apiserver.request", { ...gone, details: { verb: "delete" } }),
    step(3, "etcd.put", { ...gone, cause: 2, details: { key } }),
    step(4, "kubelet.syncTerminatingPod", { ...gone, node: "node-1" }),
    step(5, "apiserver.request", { ...gone, details: { verb: "delete" } }),
    step(6, "etcd.delete", { cause: 5, details: { key } }),
  ];
  const at = (i: number) =>
    standing(there, momentOf(taken, taken[i]), taken[i]).get("node-1")?.get("default/gone");
  expect(taken.map((_, i) => at(i))).toEqual([
    "running",
    "running",
    "terminating",
    "terminating",
    "terminating",
    undefined,
  ]);
  // One that is listed yet stood there before it was marked.
  const marked = list(row("gone", "node-1", "Terminating"));
  const first = standing(marked, momentOf(taken, taken[0]), taken[0]).get("node-1");
  expect([...(first ?? [])]).toEqual([["default/gone", "running"]]);
  // As it happens it is gone.
  expect(standing(there, momentOf(taken), undefined).get("node-1")?.has("default/gone")).toBe(
    false,
  );
});

test("slowly, a pod that is made anew by its name stands where the new one is bound", () => {
  const again = [
    step(1, "kubelet.syncTerminatingPod", { ...own, node: "node-2" }),
    step(2, "etcd.delete", own),
    ...steps.map((one) => ({
      ...one,
      id: one.id + 2,
      at: one.at + 2,
      cause: (one.cause ?? -2) + 2,
    })),
    step(9, "etcd.delete", own),
  ];
  const at = (i: number) =>
    [...momentOf(again, again[i]).pods].filter(([, there]) => there.size > 0).map(([node]) => node);
  expect([0, 1, 5, 6].map(at)).toEqual([["node-2"], [], ["node-1"], ["node-1"]]);
});

test("a pod that fails, and a stand-in, are neither pending nor running", () => {
  const fails = step(5, "cri.PullImage", { ...own, node: "node-1", details: { error: "no such" } });
  const failing = [...steps.slice(0, 4), fails];
  const of = (state: ReturnType<typeof standing>) => state.get("node-1")?.get("default/own");
  expect(of(standing(there, momentOf(failing, failing[3]), failing[3]))).toBe("pending");
  expect(of(standing(there, momentOf(failing, failing[4]), failing[4]))).toBe("failing");
  const again = [...failing, step(6, "cri.StartContainer", { ...own, node: "node-1" })];
  expect(of(standing(there, momentOf(again, again[5]), again[5]))).toBe("running");
  const pulls = list(row("own", "node-1", "ImagePullBackOff"));
  expect(of(standing(pulls, momentOf(steps), undefined))).toBe("failing");
  const standIn = row("own", "node-1");
  const containerStatuses = [{ name: "c", imageID: "stand-in://c" }];
  Object.assign(standIn.object.status as object, { containerStatuses });
  const shown = [steps.at(-1), undefined].map((until) =>
    standing(list(standIn), momentOf(steps), until),
  );
  expect(shown.map(of)).toEqual(["standin", "standin"]);
});

test("a pod that has started is not ready until its kubelet says so, if that says anything", () => {
  const reports = (id: number, conditions: unknown) =>
    step(id, "kubelet.status", { ...own, node: "node-1", details: { conditions } });
  const [first, last] = [
    reports(6, ["Ready=False"]),
    reports(7, ["Initialized=True", "Ready=True"]),
  ];
  const told = [...steps, first, last, reports(8, 7)];
  const at = (i: number, pods = there) =>
    standing(pods, momentOf(told, told[i]), told[i]).get("node-1");
  const states = [3, 4, 5, 6, 7].map((i) => at(i)?.get("default/own"));
  expect(states).toEqual(["pending", "unready", "unready", "running", "running"]);
  // It has started all the same.
  expect(startedOf(at(4)?.values() ?? [])).toBe(2);
  const standIn = row("own", "node-1");
  const containerStatuses = [{ name: "c", imageID: "stand-in://c" }];
  Object.assign(standIn.object.status as object, { containerStatuses });
  expect(at(4, list(standIn))?.get("default/own")).toBe("standin");
  // What another node's kubelet reports says nothing of this one's.
  const other = { ...first, node: "node-2" };
  expect(
    momentOf([...steps, other])
      .pods.get("node-1")
      ?.get("default/own"),
  ).toBe("running");
  const ended = { ...last, details: { phase: "Succeeded", conditions: ["Ready=False"] } };
  expect(
    momentOf([...steps, ended])
      .pods.get("node-1")
      ?.get("default/own"),
  ).toBe("succeeded");
});

test("of more pods than have room those are drawn first that do not just run", () => {
  const pods = new Map(["a", "b", "c", "d"].map((name) => [name, "running"] as const));
  const some = new Map([...pods, ["z", "failing"] as const]);
  expect(drawnOf(pods, 4).map(([name]) => name)).toEqual(["a", "b", "c", "d"]);
  expect(drawnOf(some, 4).map(([name]) => name)).toEqual(["z", "a"]);
});

test("a pod that is evicted stands there until it goes, too", () => {
  const gone = { resource: "pods", namespace: "default", name: "gone" };
  const evicts = { object: { ...gone, subresource: "eviction" } };
  const taken = [
    step(1, "kubectl.command"),
    step(2, "apiserver.request", { ...evicts, details: { verb: "create" } }),
    step(3, "etcd.put", { ...evicts, cause: 2 }),
    step(4, "kubelet.syncTerminatingPod", { object: gone, node: "node-1" }),
    step(5, "etcd.delete", { object: gone }),
  ];
  const at = (i: number) => momentOf(taken, taken[i]).pods.get("node-1")?.get("default/gone");
  expect([0, 2, 4].map(at)).toEqual(["running", "terminating", undefined]);
});

test("slowly, a pod that was made after the step stands nowhere, and one of before does", () => {
  const at = Date.parse("2026-11-28T07:00:10Z");
  const made = (name: string, when: string) => {
    const one = row(name, "node-1");
    one.object.metadata.creationTimestamp = when;
    return one;
  };
  const pods = list(made("before", "2026-11-28T07:00:09Z"), made("after", "2026-11-28T07:00:11Z"));
  const names = (until: TraceStep | undefined) => [
    ...(standing(pods, momentOf([]), until).get("node-1")?.keys() ?? []),
  ];
  expect(names(step(1, "kubectl.command", { at }))).toEqual(["default/before"]);
  expect(names(undefined)).toEqual(["default/before", "default/after"]);
});

/** What a pod comes to, by a command of its own; who made it is another command's story. */
const makes = (id: number, name: string) => {
  const object = { resource: "pods", namespace: "default", name };
  const node = "node-1";
  return [
    step(id, "scheduler.bind", { object, details: { node } }),
    step(id + 1, "apiserver.request", { object: { ...object, subresource: "binding" } }),
    step(id + 2, "etcd.put", { object, cause: id + 1 }),
    step(id + 3, "cri.StartContainer", { object, node }),
  ];
};
const deletes = (id: number, name: string) => {
  const object = { resource: "pods", namespace: "default", name };
  return [
    step(id, "apiserver.request", { object, details: { verb: "delete" } }),
    step(id + 1, "etcd.put", { object, cause: id }),
    step(id + 2, "etcd.delete", { object }),
  ];
};

test("slowly, what another command made stands there before its deletion, and nothing between that and a new one", () => {
  const told = [step(20, "kubectl.command"), ...deletes(21, "first").slice(0, 2)];
  // Its end, and the new one, have come since: they are not told.
  const past = new Past();
  past.lives.take([...makes(10, "first"), ...told]);
  const at = (i: number, pods: Collection<Pod>) =>
    Object.fromEntries(
      standing(pods, momentOf(told, told[i], [], past.lives), told[i], past).get("node-1") ?? [],
    );
  const soon = [0, 1, 2].map((i) => at(i, list(row("first", "node-1", "Terminating"))));
  expect(soon).toEqual([
    { "default/first": "running" },
    { "default/first": "running" },
    { "default/first": "terminating" },
  ]);
  past.lives.take([...deletes(21, "first").slice(2), ...makes(30, "second")]);
  expect([0, 1, 2].map((i) => at(i, list(row("second", "node-1"))))).toEqual(soon);
  const between = step(25, "x.y");
  expect(momentOf([...told, between], between, [], past.lives).pods.get("node-1")).toBeUndefined();
});

test("slowly, what a later command takes away stands at an earlier one's moment", () => {
  const told = [step(30, "kubectl.command"), step(31, "admission.refused")];
  const past = new Past();
  past.lives.take([...makes(10, "a"), ...makes(20, "b"), ...told]);
  const names = (pods: Collection<Pod>) => [
    ...(standing(pods, momentOf(told, told[1], [], past.lives), told[1], past)
      .get("node-1")
      ?.keys() ?? []),
  ];
  const both = list(row("a", "node-1"), row("b", "node-1"));
  expect(names(both)).toEqual(["default/a", "default/b"]);
  past.lives.take(deletes(40, "b"));
  expect(names(list(row("a", "node-1")))).toEqual(["default/a", "default/b"]);
});

test("slowly, a pod older than the trace stands where it was seen, as it was seen, though it is gone", () => {
  const told = [step(Date.now() - 1000, "kubectl.command")];
  const past = new Past();
  past.lives.take(told);
  const at = (pods: Collection<Pod>) =>
    Object.fromEntries(
      standing(pods, momentOf(told, told[0], [], past.lives), told[0], past).get("node-1") ?? [],
    );
  const failing = { "default/old": "failing" };
  expect(at(list(row("old", "node-1", "ImagePullBackOff")))).toEqual(failing);
  // It goes later; the first of it that a step tells is its deletion, which says no node.
  past.note(list(row("old", "node-1", "Terminating")), Date.now() + 50);
  expect(at(list())).toEqual(failing);
  past.lives.take(deletes(Date.now() + 100, "old"));
  expect(at(list())).toEqual(failing);
});
