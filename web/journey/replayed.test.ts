import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
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
const counts = ({ steps, told, more }: Replayed) => [steps.length, told.length, more];

test("as it happens all steps are counted, slowly those that were there as it began", () => {
  const replayed = new Replayed();
  replayed.live(steps(5), false, 0);
  replayed.live(steps(6), false, 100);
  expect(counts(replayed)).toEqual([6, 6, false]);
  replayed.begin(steps(6), false, 5000);
  replayed.slow(steps(9), false, 5100);
  expect(counts(replayed)).toEqual([6, 6, true]);
  replayed.slow(steps(12), false, 5200);
  expect(counts(replayed)).toEqual([6, 6, true]);
  // It is told when it was asked for, and what comes then is offered again.
  replayed.add(steps(12), false);
  expect(counts(replayed)).toEqual([12, 12, false]);
  replayed.slow(steps(12), false, 5300);
  expect(counts(replayed)).toEqual([12, 12, false]);
  replayed.slow(steps(13), false, 5400);
  expect(counts(replayed)).toEqual([12, 12, true]);
});

test("who begins while the command is under way has the rest of it, until they go on", () => {
  const replayed = new Replayed();
  replayed.live(steps(3), false, 0);
  replayed.begin(steps(3), false, 200);
  replayed.slow(steps(8), false, 400);
  expect(counts(replayed)).toEqual([8, 8, false]);
  replayed.hold();
  replayed.slow(steps(9), false, 500);
  expect(counts(replayed)).toEqual([8, 8, true]);
});

test("what never comes to rest is not counted up for long", () => {
  const replayed = new Replayed();
  replayed.live(steps(3), false, 0);
  replayed.begin(steps(3), false, 200);
  for (let at = 1; at < 40; at++) replayed.slow(steps(3 + at), false, 200 + at * 1000);
  expect(replayed.steps.length).toBeLessThan(14);
  expect(replayed.more).toBe(true);
});

test("what came later and is not told slowly is not offered; every step is", () => {
  const replayed = new Replayed();
  const looked = { ...command, id: 90, at: 90, cause: 1, kind: "controllers.reconcile" };
  replayed.live(steps(3), false, 0);
  replayed.begin(steps(3), false, 5000);
  replayed.slow([...steps(3), looked], false, 5100);
  expect(counts(replayed)).toEqual([3, 3, false]);
  replayed.slow([...steps(3), { ...looked, id: 91 }], true, 5200);
  expect(counts(replayed)).toEqual([3, 3, true]);
});

test("another command begins anew", () => {
  const replayed = new Replayed();
  replayed.live(steps(3), false, 0);
  replayed.begin(steps(3), false, 5000);
  replayed.slow(steps(4), false, 5100);
  replayed.clear();
  replayed.begin(steps(2), false, 5200);
  expect(counts(replayed)).toEqual([2, 2, false]);
});
