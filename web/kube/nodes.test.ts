import { expect, test } from "vitest";
import { actionsFor, nodeState } from "./nodes.ts";
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
  expect(verbs(node(), "running")).toEqual(["Cordon", "Drain", "Stop", "Remove", "Shut down"]);
  expect(verbs(node(), "shutting down")).toEqual(["Cordon", "Drain", "Stop", "Remove"]);
  expect(verbs(node(true), "stopped")).toEqual(["Uncordon", "Drain", "Heal", "Remove"]);
  // A real machine's node is nothing that this tab could stop.
  expect(verbs(node(), undefined)).toEqual(["Cordon", "Drain"]);
});

test("each action says the command or the fault it stands for", () => {
  for (const action of actionsFor(node(), "running")) {
    expect(`${action.line ?? ""}${action.fault ?? ""}`).toContain("node-2");
  }
});

test("a node that is short of something says of what, and is not well", () => {
  const row = (...held: string[]): Row<Node> => ({
    ...node(),
    cells: { Status: held.includes("Ready") ? "Ready" : "NotReady" },
    object: {
      ...node().object,
      status: {
        conditions: ["Ready", "DiskPressure", "MemoryPressure"].map((type) => ({
          type,
          status: held.includes(type) ? "True" : "False",
          message: `says ${type}`,
        })),
      },
    },
  });
  expect(nodeState(row("Ready"))).toEqual({ well: true, text: "Ready", why: "" });
  expect(nodeState(row())).toEqual({ well: false, text: "NotReady", why: "" });
  expect(nodeState(row("Ready", "DiskPressure", "MemoryPressure"))).toEqual({
    well: false,
    text: "Ready,DiskPressure,MemoryPressure",
    why: "says DiskPressure, says MemoryPressure",
  });
  expect(nodeState(node()).well).toBe(false);
});
