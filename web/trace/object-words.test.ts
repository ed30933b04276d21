import { expect, test } from "vitest";
import { oneObject, singular } from "./object-words.ts";

test("one of a resource is called by its singular", () => {
  const called = {
    pods: "pod",
    deployments: "deployment",
    networkpolicies: "networkpolicy",
    ingresses: "ingress",
    storageclasses: "storageclass",
    endpoints: "endpoints",
    endpointslices: "endpointslice",
    leases: "lease",
    persistentvolumeclaims: "persistentvolumeclaim",
  };
  for (const [resource, one] of Object.entries(called)) expect(singular(resource)).toBe(one);
});

test("an object within a sentence has its namespace and name, and a part of it says so", () => {
  expect(oneObject(undefined)).toBe("");
  expect(oneObject({ resource: "pods", namespace: "default", name: "p" })).toBe("pod default/p");
  expect(oneObject({ resource: "nodes", name: "node-1" })).toBe("node node-1");
  const scale = { resource: "deployments", subresource: "scale", namespace: "default", name: "d" };
  expect(oneObject(scale)).toBe("the scale of deployment default/d");
});
