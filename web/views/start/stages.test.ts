import { expect, test } from "vitest";
import type { TraceStep } from "../../rpc/protocol.ts";
import { linesOf, stagesOf } from "./stages.ts";

const step = (id: number, kind: string): TraceStep => ({
  id,
  at: id,
  component: "kube-apiserver",
  kind,
  chapter: "start",
});

test("stages are in the order of the start, of those of which anything is told", () => {
  const found = stagesOf([
    step(4, "start.hooks"),
    step(3, "start.admission"),
    step(2, "start.admission"),
    step(1, "start.flags"),
    step(5, "etcd.put"),
    step(6, "start.unheard"),
  ]);
  expect(found.map(({ kind, steps }) => [kind, steps.map(({ id }) => id)])).toEqual([
    ["start.flags", [1]],
    ["start.admission", [2, 3]],
    ["start.hooks", [4]],
  ]);
});

test("what a step says is read as a stranger's", () => {
  expect(linesOf({ names: ["a", 1, "<b>"] })).toEqual(["a", "<b>"]);
  expect(linesOf({ path: "/apis/apps/v1", routes: 12, resources: ["deployments"] })).toEqual([
    "/apis/apps/v1 · 12 routes: deployments",
  ]);
  expect(linesOf({ step: "store", state: "done", detail: {} })).toEqual(["store · done"]);
  for (const odd of [undefined, null, 3, "x", [], { names: "x" }]) expect(linesOf(odd)).toEqual([]);
});
