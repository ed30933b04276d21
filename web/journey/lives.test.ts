import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { Lives } from "./lives.ts";

const step = (id: number, kind: string, more: Partial<TraceStep> = {}): TraceStep => ({
  id,
  at: id * 10,
  kind,
  component: "c",
  chapter: "etcd",
  ...more,
});
const pod = (name: string, subresource?: string) => ({
  object: { resource: "pods", namespace: "default", name, ...(subresource ? { subresource } : {}) },
});
const key = (name: string) => `/registry/pods/default/${name}`;
const all = (
  lives: Lives,
  until: TraceStep,
  told: readonly TraceStep[] = [],
): Partial<Record<string, Record<string, string>>> =>
  Object.fromEntries(
    [...lives.at(until, told).pods].map(([node, there]) => [
      node,
      Object.fromEntries([...there].map(([name, state]) => [name.split("/")[1], state])),
    ]),
  );

/** What becomes of a pod from its creation on. A request is told after what it wrote: it ends after that. */
const makes = (id: number, name: string, node: string) => [
  step(id + 1, "etcd.put", { ...pod(name), cause: id, details: { key: key(name) } }),
  step(id, "apiserver.request", { ...pod(name), details: { verb: "create" } }),
  step(id + 2, "scheduler.bind", { ...pod(name), details: { node } }),
  step(id + 4, "etcd.put", { ...pod(name), cause: id + 3 }),
  step(id + 3, "apiserver.request", { ...pod(name, "binding"), details: { verb: "create" } }),
  step(id + 5, "cri.StartContainer", { ...pod(name), node }),
  step(id + 6, "kubelet.status", { ...pod(name), node, details: { conditions: ["Ready=True"] } }),
];
const takes = (id: number, name: string, node: string) => [
  step(id + 1, "etcd.put", { ...pod(name), cause: id }),
  step(id, "apiserver.request", { ...pod(name), details: { verb: "delete" } }),
  step(id + 2, "kubelet.syncTerminatingPod", { ...pod(name), node }),
  step(id + 3, "etcd.delete", { details: { key: key(name) } }),
  step(id + 4, "kubelet.syncTerminatedPod", { ...pod(name), node }),
];

test("a pod's life is told by the steps of all commands, in whatever order they come", () => {
  const steps = [...makes(10, "a", "n"), ...takes(30, "a", "n"), ...makes(40, "b", "n")];
  for (const order of [steps, steps.toReversed()]) {
    const lives = new Lives(order);
    const at = (when: number) => all(lives, step(900, "x.y", { at: when })).n;
    expect([100, 115, 125].map(at)).toEqual([undefined, undefined, undefined]);
    expect([145, 155, 165].map(at)).toEqual([{ a: "pending" }, { a: "unready" }, { a: "running" }]);
    expect([299, 315, 325].map(at)).toEqual([
      { a: "running" },
      { a: "terminating" },
      { a: "terminating" },
    ]);
    // Between the deletion and its replacement there is none, whatever the kubelet still does.
    expect([335, 345, 425].map(at)).toEqual([undefined, undefined, undefined]);
    expect(at(465)).toEqual({ b: "running" });
  }
});

test("a command's own steps have happened as they are told, and others as the clock has them", () => {
  const lives = new Lives([...makes(10, "a", "n"), ...makes(20, "b", "n")]);
  const own = makes(10, "a", "n").sort((a, b) => a.id - b.id);
  // The last step is told first.
  const told = [...own.slice(-1), ...own.slice(0, -1)];
  const [last] = told;
  expect(all(lives, last ?? step(0, ""), told)).toEqual({ n: { a: "running" } });
  expect(all(lives, own[0] ?? step(0, ""), told)).toEqual({ n: { a: "running" } });
});

test("one that was made for its node, and one of before the steps, stand where their kubelet has them", () => {
  const asks = step(0, "apiserver.request", { ...pod("direct"), details: { verb: "create" } });
  const made = step(1, "etcd.put", { ...pod("direct"), cause: 0 });
  const seen = step(2, "kubelet.syncPod", { ...pod("direct"), node: "n" });
  const old = step(3, "kubelet.syncPod", { ...pod("old"), node: "m" });
  const lives = new Lives([asks, made, seen, old]);
  expect(all(lives, made, [])).toEqual({ m: { old: "running" } });
  expect(all(lives, old, [])).toEqual({ m: { old: "running" }, n: { direct: "pending" } });
  // Of no step that tells its end: as it was seen.
  lives.vanish("default/old", 35);
  expect(all(lives, old, []).m).toEqual({ old: "running" });
  expect(all(lives, step(4, "x.y"), []).m).toBeUndefined();
});

test("many that are deleted at once are named by their keys, and a write that failed is none", () => {
  const collection = { resource: "pods", namespace: "default" };
  const steps = [
    ...makes(10, "a", "n"),
    step(31, "etcd.put", { cause: 30, details: { key: key("a"), succeeded: false } }),
    step(33, "etcd.put", { cause: 30, details: { key: key("a") } }),
    step(30, "apiserver.request", {
      object: collection,
      details: { verb: "deletecollection" },
    }),
  ];
  const at = (when: number) => all(new Lives(steps), step(900, "x.y", { at: when })).n;
  expect([315, 335].map(at)).toEqual([{ a: "running" }, { a: "terminating" }]);
});

test("a kubelet's later reports count: not ready any more, and ended", () => {
  const reports = (id: number, details: unknown) =>
    step(id, "kubelet.status", { ...pod("a"), node: "n", details });
  const lives = new Lives([
    ...makes(10, "a", "n"),
    reports(20, { conditions: ["Ready=False"] }),
    reports(22, { phase: "Succeeded", conditions: ["Ready=False"] }),
  ]);
  const at = (when: number) => all(lives, step(900, "x.y", { at: when })).n;
  expect([165, 205, 225].map(at)).toEqual([{ a: "running" }, { a: "unready" }, { a: "succeeded" }]);
});

test("a pod with very many steps, and very many pods, are kept within bounds", () => {
  const restarts = Array.from({ length: 5000 }, (_, i) =>
    step(100 + i, "cri.StartContainer", { ...pod("a"), node: "n" }),
  );
  const lives = new Lives([...makes(10, "a", "n"), ...restarts]);
  expect(all(lives, step(90, "x.y")).n).toEqual({ a: "running" });
  for (let i = 0; i < 5000; i++)
    lives.take([step(i, "kubelet.syncPod", { ...pod(`p${i}`), node: "n" })]);
  const kept = Array.from({ length: 5000 }, (_, i) => lives.names.has(`default/p${i}`));
  expect(kept.filter(Boolean)).toHaveLength(4000);
  expect([kept[0], kept[4999]]).toEqual([false, true]);
});
