import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { earlierLike, firstLike } from "./proof.ts";

const step = (id: number, kind: string, of: Partial<TraceStep>): TraceStep => ({
  id,
  at: id,
  component: "c",
  chapter: "etcd",
  kind,
  ...of,
});
const request = (id: number, resource: string, code: number, subresource?: string) =>
  step(id, "apiserver.request", {
    cause: 1,
    object: { resource, ...(subresource === undefined ? {} : { subresource }) },
    details: { code },
  });
const put = (id: number, key: string, more: object) =>
  step(id, "etcd.put", { cause: 1, details: { key, succeeded: true, ...more } });

test("to make something is none of the requests that write its status, or are refused", () => {
  const steps = [
    request(2, "replicasets", 200, "status"),
    request(3, "replicasets", 409),
    request(4, "pods", 201, "binding"),
    request(5, "pods", 201),
  ];
  const created = (what: string) => firstLike(steps, "apiserver.request", `created-${what}`)?.id;
  expect(created("replicasets")).toBeUndefined();
  expect(created("pods")).toBe(5);
  expect(created("pods-binding")).toBe(4);
  expect(created("")).toBeUndefined();
});

test("to update something is none of the requests that read it, or are refused", () => {
  const asked = (id: number, verb: string, code: number) =>
    step(id, "apiserver.request", {
      object: { resource: "deployments", subresource: "status" },
      details: { verb, code },
    });
  const steps = [asked(2, "get", 200), asked(3, "update", 409), asked(4, "update", 200)];
  const updated = (what: string) => firstLike(steps, "apiserver.request", `updated-${what}`)?.id;
  expect(updated("deployments-status")).toBe(4);
  expect(updated("deployments")).toBeUndefined();
  expect(updated("")).toBeUndefined();
});

test("kubectl has made what its path ends with, and the store a key that was not there", () => {
  const path = "/apis/apps/v1/namespaces/default/deployments";
  const asked = step(2, "kubectl.request", { details: { method: "POST", path, code: 201 } });
  expect(firstLike([asked], "kubectl.request", "created-deployments")).toBe(asked);
  const puts = [
    put(3, "/registry/deployments/default/web", { previous: 7 }),
    put(4, "/registry/deployments/default/web", { succeeded: false }),
    put(5, "/registry/deployments/default/web", {}),
  ];
  expect(firstLike(puts, "etcd.put", "created-deployments")?.id).toBe(5);
  expect(firstLike(puts, "etcd.put", "created-pods")).toBeUndefined();
});

test("what failed is not done", () => {
  const starts = [{ error: "no such program" }, {}].map((details, i) =>
    step(i + 2, "cri.StartContainer", { details }),
  );
  expect(firstLike(starts, "cri.StartContainer")?.id).toBe(2);
  expect(firstLike(starts, "cri.StartContainer", "done")?.id).toBe(3);
});

test("of earlier commands only those prove something that a chapter is about", () => {
  const all = [
    step(1, "kubectl.command", {}),
    request(2, "deployments", 201),
    step(3, "scheduler.bind", { cause: 1 }),
    step(4, "kubectl.command", {}),
    step(5, "scheduler.bind", { cause: 4 }),
  ];
  const trace = {
    steps: new Map(all.map((one) => [one.id, one])),
    tree: (id: number) =>
      all
        .filter((one) => one.id === id || one.cause === id)
        .map((one) => ({ step: one, depth: 0 })),
  };
  expect(earlierLike(trace, "scheduler.bind")?.id).toBe(5);
  const about = { kind: "apiserver.request", like: "created-deployments" };
  expect(earlierLike(trace, "scheduler.bind", undefined, { about })?.id).toBe(3);
  // What stands beside a command may be of those after it alone.
  expect(earlierLike(trace, "scheduler.bind", undefined, { after: 4 })).toBeUndefined();
  expect(earlierLike(trace, "scheduler.bind", undefined, { after: 3 })?.id).toBe(5);
});
