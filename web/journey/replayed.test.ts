import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { Lives } from "./lives.ts";
import { Replayed } from "./replayed.ts";

const command: TraceStep = { id: 1, at: 1, kind: "kubectl.command", component: "", chapter: "" };
/** A command of that many steps, each of which writes another object. */
const steps = (n: number): readonly TraceStep[] => [
  command,
  ...Array.from({ length: n - 1 }, (_, i) => ({
    ...command,
    id: i + 2,
    at: i + 2,
    cause: 1,
    kind: "etcd.put",
    object: { resource: `things${i}`, name: "a" },
  })),
];
const counts = ({ steps, told }: Replayed) => [steps.length, told.length];

test("a command is told up to its end, however early one begins to have it told", () => {
  const replayed = new Replayed();
  replayed.live(steps(3), false);
  replayed.slow(steps(3), false);
  expect(counts(replayed)).toEqual([3, 3]);
  replayed.slow(steps(40), false);
  expect(counts(replayed)).toEqual([40, 40]);
});

test("what is told stays when the ring has no more of it", () => {
  const replayed = new Replayed();
  replayed.slow(steps(9), false);
  const { told } = replayed;
  replayed.slow(steps(4), false);
  expect(replayed.told).toBe(told);
});

test("of all steps those are told that led to something, or each of them", () => {
  const looked = { ...command, id: 90, at: 90, cause: 1, kind: "controllers.reconcile" };
  const all = [...steps(3), looked];
  const replayed = new Replayed();
  replayed.slow(all, false);
  expect(counts(replayed)).toEqual([4, 3]);
  replayed.slow(all, true);
  expect(counts(replayed)).toEqual([4, 4]);
});

test("another command begins anew", () => {
  const replayed = new Replayed();
  replayed.slow(steps(5), false);
  replayed.clear();
  replayed.slow(steps(2), false);
  expect(counts(replayed)).toEqual([2, 2]);
});

test("at the end of the story all pods stand as the whole command has left them, and before as it tells", () => {
  const pod = (name: string) => ({ resource: "pods", namespace: "default", name });
  const request = (id: number) => ({
    ...command,
    id,
    at: id,
    cause: 1,
    kind: "apiserver.request",
    details: { verb: "delete" },
  });
  const own = (id: number, cause: number, kind: string, name: string) => ({
    ...command,
    ...{ id, at: id, cause, kind, object: pod(name), node: "node-1" },
    details: { succeeded: true },
  });
  const all = [
    command,
    ...[{ ...request(2), object: pod("a") }, own(3, 2, "etcd.put", "a")],
    ...[{ ...request(4), object: pod("b") }, own(5, 4, "etcd.put", "b")],
    ...[own(6, 2, "etcd.delete", "a"), own(7, 4, "etcd.delete", "b")],
  ];
  const replayed = new Replayed();
  replayed.slow(all, false);
  const last = replayed.told.at(-1);
  const [, first] = replayed.told;
  if (!last || !first) throw new Error("nothing is told");
  expect(replayed.steps.indexOf(last)).toBeLessThan(all.length - 1);
  expect(replayed.seen(first)).toBe(first);
  expect(new Lives(all).at(last, replayed.steps).pods.size).toBe(1);
  expect(new Lives(all).at(replayed.seen(last), replayed.steps).pods.size).toBe(0);
});
