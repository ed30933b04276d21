import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { Undrawns } from "./moving.ts";

const step = (id: number, kind: string, cause?: number): TraceStep => ({
  id,
  at: id,
  kind,
  component: "c",
  chapter: "etcd",
  ...(cause === undefined ? {} : { cause }),
});

test("what was not drawn is counted for each command, whatever comes while another one is told", () => {
  const [first, asks, later] = [
    step(1, "kubectl.command"),
    step(2, "apiserver.request", 1),
    step(3, "kubectl.command"),
  ];
  const [heard, put] = [step(4, "etcd.watched", 2), step(5, "etcd.put", 3)];
  const steps = new Map([first, asks, later, heard, put].map((one) => [one.id, one]));
  const all = new Undrawns();
  for (const one of [asks, heard]) all.count(one, steps);
  expect(all.of(first.id)).toEqual({ requests: 1, events: 1, others: 0, first: asks });
  // A command that nobody saw happen has none, and so has none at all.
  expect(all.of(later.id).first).toBeUndefined();
  expect(all.of(undefined).first).toBeUndefined();
  all.count(put, steps);
  expect(all.of(later.id)).toEqual({ requests: 0, events: 0, others: 1, first: put });
  expect(all.of(first.id).first).toBe(asks);
  for (let id = 10; id < 40; id++) all.count(step(id, "etcd.put"), steps);
  expect(all.of(first.id).first).toBeUndefined();
});
