import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { opening } from "./opening.ts";

const pod = { resource: "pods", namespace: "default", name: "web-1" };
const step = (id: number, kind: string, more: Partial<TraceStep>): TraceStep => ({
  id,
  at: id,
  kind,
  component: "kube-scheduler",
  chapter: "scheduler",
  object: pod,
  ...more,
});

test("an attempt whose parts are told says what it sets out to do, alone what it came to", () => {
  const attempt = step(1, "scheduler.attempt", { details: { node: "node-2" } });
  const filter = step(2, "scheduler.filter", { cause: 1, details: { feasible: 3, of: 3 } });
  const others = step(3, "scheduler.filter", { cause: 9 });
  expect(opening(attempt, [attempt, filter])).toBe("looks for a node for pods default/web-1");
  expect(opening(attempt, [attempt, others])).toContain("node-2");
  expect(opening(filter, [attempt, filter])).toContain("of 3 nodes");
});
