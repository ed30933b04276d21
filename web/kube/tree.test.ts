import { expect, test } from "vitest";
import type { Resource } from "./discovery.ts";
import { ownerTree, type Listed, type OwnerNode } from "./tree.ts";

const listed = (kind: string, ...objects: [name: string, owner?: string][]): Listed => ({
  resource: { kind, name: `${kind.toLowerCase()}s`, group: "", version: "v1" } as Resource,
  objects: objects.map(([name, owner]) => ({
    metadata: {
      name,
      uid: name,
      resourceVersion: "1",
      ...(owner
        ? { ownerReferences: [{ kind: "Any", name: owner, uid: owner, controller: true }] }
        : {}),
    },
  })),
});
const shape = (node: OwnerNode | undefined): unknown =>
  node && [node.metadata.name, ...node.children.map(shape)];

const cluster = [
  listed("Deployment", ["web"], ["other"]),
  listed("ReplicaSet", ["web-2", "web"], ["web-1", "web"]),
  listed("Pod", ["web-2-b", "web-2"], ["web-2-a", "web-2"], ["alone"]),
];

test("from any part of it the same tree, sorted", () => {
  const whole = ["web", ["web-1"], ["web-2", ["web-2-a"], ["web-2-b"]]];
  for (const uid of ["web", "web-2", "web-2-b"]) {
    expect(shape(ownerTree(cluster, uid))).toEqual(whole);
  }
  expect(shape(ownerTree(cluster, "alone"))).toEqual(["alone"]);
  expect(ownerTree(cluster, "nowhere")).toBeUndefined();
});

test("owners that are gone or go in circles end the way up", () => {
  expect(shape(ownerTree([listed("Pod", ["a", "gone"])], "a"))).toEqual(["a"]);
  const circle = ownerTree([listed("Pod", ["a", "b"], ["b", "a"])], "a");
  expect(circle?.metadata.name).toBe("b");
});
