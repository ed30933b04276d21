import { describe, expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { caused as step } from "../trace/steps.testing.ts";
import { Alike } from "./alike.ts";
import { story } from "./story.ts";

const work = (id: number, cause: number, item: string) =>
  step(id, cause, "controllers.reconcile", { details: { queue: "deployment", item } });

const pod = (name: string) => ({ object: { resource: "pods", name } });

/** One round of a rollout: a controller scales, of that comes a pod, and of that the next round. */
const round = (id: number, cause: number): TraceStep[] => [
  work(id, cause, "default/web"),
  step(id + 1, id, "apiserver.request", { object: { resource: "replicasets", name: "web-1" } }),
  step(id + 2, id + 1, "etcd.put", { object: { resource: "replicasets", name: "web-1" } }),
  step(id + 3, id + 2, "controllers.reconcile", {
    details: { queue: "replicaset", item: "default/web-1" },
  }),
  step(id + 4, id + 3, "apiserver.request", pod(`p${id}`)),
  step(id + 5, id + 4, "etcd.put", pod(`p${id}`)),
  step(id + 6, id + 5, "scheduler.bind", pod(`p${id}`)),
];

const rollout = (rounds: number) => [
  step(1, 0, "kubectl.command"),
  ...Array.from({ length: rounds }, (_, i) => round(10 * (i + 1), i === 0 ? 1 : 10 * i + 6)).flat(),
];

const alike = (steps: readonly TraceStep[]) => {
  const ways = new Alike(new Map(steps.map((one) => [one.id, one])));
  return (a: number, b: number) => {
    const [first, second] = [a, b].map(
      (id) => steps.find((one) => one.id === id) ?? step(0, 0, ""),
    );
    return first !== undefined && second !== undefined && ways.of(first) === ways.of(second);
  };
};

describe("steps are alike", () => {
  test("if they came about in the same way, of whatever name they are", () => {
    const same = alike([
      step(1, 0, "kubectl.command"),
      ...["a", "b"].map((name, i) => step(2 + i, 1, "etcd.put", pod(name))),
      step(4, 2, "kubelet.syncPod", pod("a")),
      step(5, 3, "kubelet.syncPod", pod("b")),
      step(6, 1, "kubelet.syncPod", pod("b")),
    ]);
    expect(same(2, 3)).toBe(true);
    expect(same(4, 5)).toBe(true);
    expect(same(4, 6)).toBe(false);
  });

  test("in each round of a rollout, but that a controller came back is another thing than that it came", () => {
    const same = alike(rollout(4));
    for (const part of [1, 2, 4, 5, 6]) {
      expect(same(10 + part, 20 + part)).toBe(true);
      expect(same(10 + part, 40 + part)).toBe(true);
    }
    for (const part of [0, 3]) {
      expect(same(10 + part, 20 + part)).toBe(false);
      expect(same(20 + part, 40 + part)).toBe(true);
    }
  });

  test("only within work on the same item", () => {
    const same = alike([
      step(1, 0, "kubectl.command"),
      work(2, 1, "default/a"),
      step(3, 2, "etcd.put", pod("p")),
      work(4, 3, "default/b"),
      step(5, 4, "etcd.put", pod("q")),
    ]);
    expect(same(3, 5)).toBe(false);
  });

  test("in a tree that is deeper than calls can be", () => {
    const steps = rollout(20_000);
    const last = steps.at(-1);
    expect(alike(steps)(16, last?.id ?? 0)).toBe(true);
  });
});

describe("of a rollout is told", () => {
  test("the first round, that the controllers came back, and each pod that is bound", () => {
    expect(story(rollout(5)).map(({ id }) => id)).toEqual([
      ...[1, 10, 11, 12, 13, 14, 15, 16],
      ...[20, 23, 26],
      ...[36, 46, 56],
    ]);
  });

  test("each scaling, and what it wrote", () => {
    const verbs = rollout(4).map((one) => {
      const verb = one.object?.resource === "pods" ? "create" : "update";
      return one.kind === "apiserver.request" ? { ...one, details: { verb } } : one;
    });
    const told = story(verbs).filter(({ object }) => object?.resource === "replicasets");
    expect(told.map(({ id }) => id)).toEqual([11, 12, 21, 22, 31, 32, 41, 42]);
  });
});
