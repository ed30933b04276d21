import { expect, test } from "vitest";
import type { Collection } from "../kube/collection.ts";
import type { Pod, Row } from "../kube/types.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import { momentOf } from "./moment.ts";
import { standing } from "./standing.ts";

const row = (name: string, node: string, status = "Running") =>
  ({
    object: {
      metadata: { name, namespace: "default", uid: name },
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

test("as it happens, all pods that are there stand in their nodes, whichever command made them", () => {
  expect(standing(there, momentOf([]), false)).toEqual(
    new Map([
      ["node-1", { bound: 2, started: 2 }],
      ["node-2", { bound: 1, started: 0 }],
    ]),
  );
});

test("what is gone does not stand there, though its command is the last one", () => {
  expect(standing(list(), momentOf(steps), false)).toEqual(new Map());
});

test("slowly, the command's own stand as far as it has come, beside the others", () => {
  const at = (i: number) => standing(there, momentOf(steps, steps[i]), true).get("node-1");
  expect(at(0)).toEqual({ bound: 1, started: 1 });
  expect(at(1)).toEqual({ bound: 1, started: 1 });
  expect(at(3)).toEqual({ bound: 2, started: 1 });
  expect(at(4)).toEqual({ bound: 2, started: 2 });
});

test("until pods are listed, what the steps tell stands there", () => {
  const unknown: Collection<Pod> = { synced: false, rows: new Map() };
  expect(standing(unknown, momentOf(steps), false).get("node-1")).toEqual({ bound: 1, started: 1 });
});
