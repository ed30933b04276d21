import { describe, expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { figure, sentence } from "./words.ts";

const step = (kind: string, details?: unknown, more: Partial<TraceStep> = {}): TraceStep => ({
  id: 1,
  at: 0,
  component: "c",
  kind,
  chapter: "etcd",
  details,
  ...more,
});
describe("what a controller reads of its cache, in words,", () => {
  test("of a controller's cache says how many of which were there, and the same way to look once", () => {
    const read = (controller: string, ...reads: object[]) =>
      step("controllers.read", { controller: `${controller}-controller`, reads });
    const pods = { type: "v1.Pod", by: "podController" };
    const own = { ...pods, which: "ReplicaSet" };
    const nobody = { ...pods, which: "nobody", found: 0 };
    const three = read("replicaset", { ...own, found: 3 }, nobody);
    expect(sentence(three)).toBe(
      "found in its cache: 3 Pods of this ReplicaSet; no Pod without an owner",
    );
    expect(figure(three)).toBe("3 Pods of this ReplicaSet");
    const none = read("replicaset", { ...own, found: 0 }, { ...own, found: 1 });
    expect(sentence(none)).toBe("found in its cache: no Pod of this ReplicaSet, then 1");
    const two = read("deployment", { ...own, found: 3 }, { ...own, found: 0 });
    expect(sentence(two)).toBe("found in its cache: 3 Pods of a ReplicaSet, then none of another");
    const sets = { type: "v1.ReplicaSet", by: "selector", found: 0 };
    const deployment = { type: "v1.Deployment", by: "key", found: 1 };
    const made = read("deployment", { ...sets, which: "namespace" }, deployment);
    expect(sentence(made)).toBe(
      "found in its cache: the Deployment itself; no ReplicaSet in the namespace",
    );
    expect(figure(made)).toBe("no ReplicaSet in the namespace");
  });

  test.each([
    [
      { type: "v1.Pod", by: "selector", which: "labels", found: 1 },
      "1 Pod with the labels it looks for",
    ],
    [{ type: "v1.Node", by: "selector", found: 4 }, "4 Nodes in all"],
    [{ type: "v1.ReplicaSet", by: "controllerUID", found: 2 }, "2 ReplicaSets of the same owner"],
    [{ type: "v1.Pod", by: "spec.nodeName", found: 1 }, "1 Pod on the node"],
    [{ type: "v1.Namespace", by: "key", found: 1 }, "the Namespace by its name"],
    [{ type: "v1.Namespace", by: "key", found: 0 }, "no Namespace of that name"],
    [{ type: "v1.Pod", by: "podController", found: 2 }, "2 Pods by owner"],
    [
      {
        type: "v1.ControllerRevision",
        by: "controllerRevisionController",
        which: "StatefulSet",
        found: 0,
      },
      "no ControllerRevision of a StatefulSet",
    ],
    [{ type: "v1.NetworkPolicy", by: "zone", found: 2 }, "2 NetworkPolicies by zone"],
  ])("says what was looked for in a cache: %j", (read, said) => {
    expect(figure(step("controllers.read", { queue: "service", reads: [read] }))).toBe(said);
  });

  test("counts names that were looked up one by one", () => {
    const key = { type: "v1.ServiceAccount", by: "key" };
    const reads = [
      { ...key, found: 1 },
      { ...key, found: 0 },
    ];
    expect(sentence(step("controllers.read", { reads }))).toBe(
      "found in its cache: 1 of 2 ServiceAccounts, each by its name",
    );
  });

  test.each([
    [
      { event: "added", type: "v1.Pod", listeners: 1 },
      "a new Pod, keeps its copy, and told 1 handler",
    ],
    [
      { event: "updated", type: "v1.Pod", listeners: 12 },
      "a changed Pod, keeps its copy, and told 12 handlers",
    ],
    [
      { event: "deleted", type: "v1.Pod", listeners: 2 },
      "a deleted Pod, keeps its copy, and told 2 handlers",
    ],
    [{ event: "synced", type: "v1.Pod" }, "Pod (synced), keeps its copy, and told its handlers"],
  ])("says what an informer heard, and how many it told: %j", (details, said) => {
    expect(sentence(step("controllers.informed", details))).toBe(`an informer heard of ${said}`);
  });
});
