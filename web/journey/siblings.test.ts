import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { caused as step } from "../trace/steps.testing.ts";
import { siblings } from "./siblings.ts";
import { story } from "./story.ts";

/** A command whose controller makes pods, each of which is bound. */
function command(...pods: readonly string[]): TraceStep[] {
  const steps = [
    step(1, 0, "kubectl.command"),
    step(2, 1, "kubectl.request"),
    step(3, 2, "apiserver.request"),
    step(4, 3, "etcd.put", { object: { resource: "deployments", name: "nginx" } }),
    step(5, 4, "controllers.reconcile"),
  ];
  pods.forEach((name, i) => {
    const id = 100 + 10 * i;
    const object = { resource: "pods", namespace: "default", name };
    steps.push(
      step(id, 5, "apiserver.request", { object }),
      step(id + 1, id, "etcd.put", { object }),
      step(id + 2, id + 1, "scheduler.bind", { object }),
    );
  });
  return steps;
}

const said = (steps: readonly TraceStep[]) => [...siblings(steps, story(steps))];

test("the first step that stands for several says how many, and is the only one that does", () => {
  expect(said(command("a", "b", "c"))).toEqual([
    [100, "Of 3 pods this one is told: the others go the same way."],
  ]);
  expect(said(command("a", "b"))).toEqual([
    [100, "Of 2 pods this one is told: the other goes the same way."],
  ]);
});

test("a step that stands for itself says nothing, however often the same object comes that way", () => {
  expect(said(command("a"))).toEqual([]);
  const steps = command("a");
  const object = { resource: "deployments", name: "nginx" };
  steps.push(step(200, 3, "etcd.put", { object }), step(201, 3, "etcd.put", { object }));
  expect(said(steps)).toEqual([]);
});

test("where every step is told, none stands for another", () => {
  const steps = command("a", "b", "c");
  expect([...siblings(steps, steps)]).toEqual([]);
});

test("of the nodes that lead their pods to a Service one is told, too", () => {
  const object = { resource: "services", namespace: "default", name: "web" };
  const leads = (id: number, node: string) => step(id, 4, "network.service", { object, node });
  const steps = [...command(), leads(50, "node-1"), leads(51, "node-2"), leads(52, "node-3")];
  expect(said(steps)).toEqual([[50, "Of 3 nodes this one is told: the others go the same way."]]);
});
