import { expect, test } from "vitest";
import { actionsFor } from "./nodes.ts";
import type { Node, Row } from "./types.ts";

const node = (unschedulable = false): Row<Node> => ({
  cells: {},
  object: {
    metadata: { name: "node-2", uid: "u", resourceVersion: "1" },
    spec: unschedulable ? { unschedulable } : {},
    status: {},
  },
});
const verbs = (...args: Parameters<typeof actionsFor>) => actionsFor(...args).map((a) => a.verb);

test("what can be done depends on what was done", () => {
  expect(verbs(node(), "running")).toEqual(["Cordon", "Drain", "Stop", "Remove"]);
  expect(verbs(node(true), "stopped")).toEqual(["Uncordon", "Drain", "Heal", "Remove"]);
  // A real machine's node is nothing that this tab could stop.
  expect(verbs(node(), undefined)).toEqual(["Cordon", "Drain"]);
});

test("each action says the command or the fault it stands for", () => {
  for (const action of actionsFor(node(), "running")) {
    expect(`${action.line ?? ""}${action.fault ?? ""}`).toContain("node-2");
  }
});
