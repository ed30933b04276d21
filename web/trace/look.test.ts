import { expect, test } from "vitest";
import { matrixOf } from "./look.ts";

test("a filter that was not asked says by whom, and one that had nothing to do is no pass", () => {
  const details = {
    plugins: ["NodeName", "TaintToleration", "NodeResourcesFit", "VolumeBinding"],
    skipped: ["VolumeBinding", "NodeName"],
    nodes: [
      { node: "a", passed: true },
      { node: "b", refused: { plugin: "TaintToleration", message: "untolerated taint" } },
      { node: "c", notAsked: "enough nodes were found" },
    ],
  };
  const step = { id: 1, at: 0, kind: "scheduler.filter", component: "s", chapter: "scheduler" };
  const rows = matrixOf({ ...step, details })?.rows ?? [];
  const of = (i: number) => rows[i]?.cells.map(({ text, why }) => `${text} ${why}`);
  expect(of(0)).toEqual([
    "· skipped: it has nothing to do with this pod",
    "✓ passed",
    "✓ passed",
    "· skipped: it has nothing to do with this pod",
  ]);
  expect(of(1)?.slice(1, 3)).toEqual([
    "✕ untolerated taint",
    "– not asked: TaintToleration had refused",
  ]);
  expect(new Set(of(2))).toEqual(new Set(["– enough nodes were found"]));
  expect(matrixOf({ ...step, details: { nodes: [null], plugins: 7, skipped: {} } })).toBeDefined();
});
