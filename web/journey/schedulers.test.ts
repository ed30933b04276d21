import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { bindOf } from "./schedulers.ts";

const step = (id: number, kind: string, name: string, cause?: number): TraceStep => ({
  id,
  at: id,
  kind,
  component: "c",
  chapter: "scheduler",
  object: { resource: "pods", namespace: "default", name },
  ...(cause === undefined ? {} : { cause }),
});

test("a Binding is of the scheduler's step that asked for it, though its request carries no cause", () => {
  const known = (...steps: TraceStep[]) => new Map(steps.map((one) => [one.id, one]));
  const bind = step(1, "scheduler.bind", "web");
  const other = step(2, "scheduler.bind", "other");
  const put = step(9, "etcd.put", "web", 8);
  const request = (cause?: number) => step(8, "apiserver.request", "web", cause);
  expect(bindOf(put, known(bind, other, request(1), put))).toBe(bind);
  // From a pod's network: what wrote the pod before is all that is known of a cause, or nothing.
  const created = step(3, "etcd.put", "web");
  expect(bindOf(put, known(bind, other, created, request(3), put))).toBe(bind);
  expect(bindOf(put, known(bind, other, request(), put))).toBe(bind);
  expect(bindOf(put, known(other, request(), put))).toBeUndefined();
});
