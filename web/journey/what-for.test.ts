import { expect, test } from "vitest";
import { step } from "../trace/steps.testing.ts";
import { whatFor } from "./what-for.ts";

test("what a step is for is said once, where it does not say so itself", () => {
  const first = step(1, "cri.pause");
  const again = step(2, "cri.pause");
  expect(whatFor(first, [first, again])).toContain("one network");
  expect(whatFor(again, [first, again])).toBe("");
  const put = step(3, "etcd.put");
  expect(whatFor(put, [put])).toBe("");
});

test("the pod's way to the API server is no volume like others", () => {
  const of = (volume: string) => step(1, "kubelet.volume", { details: { volume } });
  const [access, data] = [of("kube-api-access-2w8hq"), of("data")];
  expect(whatFor(access, [access])).toContain("a token");
  expect(whatFor(data, [data])).toBe("");
});

test("only who allowed or changed something has it said", () => {
  const by = (name: string) =>
    step(1, "authorization.allowed", { details: { asked: [{ name: "x" }, { name }] } });
  const [node, rbac] = [by("Node"), by("RBAC")];
  expect(whatFor(node, [node])).toContain("kubelet");
  expect(whatFor(rbac, [rbac])).toBe("");
  const admits = (changed: unknown) =>
    step(1, "admission.mutating", { details: { plugins: [{ name: "ServiceAccount", changed }] } });
  for (const one of [admits(true), admits([{ path: ".spec" }])])
    expect(whatFor(one, [one])).toContain("ServiceAccount");
  for (const one of [admits(undefined), admits([]), step(1, "admission.mutating")])
    expect(whatFor(one, [one])).toBe("");
});

test("a ReplicaSet that is made, and not one whose status is written", () => {
  const asks = (subresource?: string) =>
    step(1, "apiserver.request", {
      component: "kube-apiserver",
      object: { resource: "replicasets", ...(subresource ? { subresource } : {}) },
      details: { verb: "create" },
    });
  const [made, status] = [asks(), asks("status")];
  expect(whatFor(made, [made])).toContain("one version");
  expect(whatFor(status, [status])).toBe("");
});

test("why one pod comes before the others, where there are others", () => {
  const batch = (size: number, remaining: number) =>
    step(1, "controllers.batch", { details: { size, remaining } });
  const [first, only] = [batch(1, 3), batch(1, 1)];
  expect(whatFor(first, [first])).toContain("quota");
  expect(whatFor(only, [only])).toBe("");
});
