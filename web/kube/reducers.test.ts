import { describe, expect, test } from "vitest";
import { emptyCollection, reduceCollection } from "./collection.ts";
import { reducePlacement, UNSCHEDULED, unsettled, type Placement } from "./placement.ts";
import { podState } from "./podstate.ts";
import type { Pod, Row } from "./types.ts";

function pod(name: string, node?: string, status = "Running", ready = true): Row<Pod> {
  return {
    cells: { Name: name, Status: status },
    object: {
      metadata: { name, namespace: "default", uid: name, resourceVersion: "1" },
      spec: { containers: [], ...(node ? { nodeName: node } : {}) },
      status: { conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
    },
  };
}

describe("reduceCollection", () => {
  test("a list replaces everything, changes add and remove", () => {
    let state = reduceCollection(emptyCollection<Pod>(), { type: "put", row: pod("old") });
    state = reduceCollection(state, { type: "list", rows: [pod("a"), pod("b")] });
    state = reduceCollection(state, { type: "put", row: pod("c") });
    state = reduceCollection(state, { type: "delete", row: pod("a") });
    expect(state.synced).toBe(true);
    expect([...state.rows.keys()]).toEqual(["b", "c"]);
  });

  test("deleting what is not there changes nothing", () => {
    const state = emptyCollection<Pod>();
    expect(reduceCollection(state, { type: "delete", row: pod("a") })).toBe(state);
  });
});

describe("reducePlacement", () => {
  const at = (state: Placement, now: number, ...pods: Row<Pod>[]) =>
    reducePlacement(state, {
      type: "pods",
      pods: new Map(pods.map((p) => [p.object.metadata.uid, p])),
      now,
    });
  const drawn = (state: Placement, column: string) =>
    (state.get(column) ?? []).map((s) => (s.leftAt === undefined ? s.uid : `(${s.uid})`));

  test("pods stand on their node, those of none under unscheduled", () => {
    const state = at(new Map(), 0, pod("a", "n1"), pod("b", "n2"), pod("c"));
    expect(drawn(state, "n1")).toEqual(["a"]);
    expect(drawn(state, "n2")).toEqual(["b"]);
    expect(drawn(state, UNSCHEDULED)).toEqual(["c"]);
  });

  test("a pod keeps its place while others come, change and go", () => {
    let state = at(new Map(), 0, pod("a", "n1"), pod("b", "n1"), pod("c", "n1"));
    state = at(state, 1, pod("c", "n1", "Error"), pod("b", "n1"), pod("d", "n1"));
    expect(drawn(state, "n1")).toEqual(["(a)", "b", "c", "d"]);
    expect(state.get("n1")?.[2]?.state).toBe("failing");
  });

  test("a place is closed up once it has settled, and not before", () => {
    let state = at(new Map(), 0, pod("a", "n1"), pod("b", "n1"));
    state = at(state, 100, pod("b", "n1"));
    expect(unsettled(state)).toBe(true);
    expect(reducePlacement(state, { type: "settle", leftBefore: 99 })).toBe(state);
    state = reducePlacement(state, { type: "settle", leftBefore: 100 });
    expect(drawn(state, "n1")).toEqual(["b"]);
    expect(unsettled(state)).toBe(false);
  });

  test("a pod that is bound leaves unscheduled and appears on its node", () => {
    let state = at(new Map(), 0, pod("a"), pod("b"));
    state = at(state, 1, pod("a", "n1"), pod("b"));
    expect(drawn(state, UNSCHEDULED)).toEqual(["(a)", "b"]);
    expect(drawn(state, "n1")).toEqual(["a"]);
  });
});

test.each([
  ["Running", true, "running"],
  ["Running", false, "unready"],
  ["Pending", false, "pending"],
  ["ContainerCreating", false, "pending"],
  ["Init:0/2", false, "pending"],
  ["Init:CrashLoopBackOff", false, "failing"],
  ["ImagePullBackOff", false, "failing"],
  ["CrashLoopBackOff", false, "failing"],
  ["Error", false, "failing"],
  ["Evicted", false, "failing"],
  ["Completed", false, "succeeded"],
  ["Unknown", false, "unknown"],
] as const)("STATUS %s, ready %s is drawn as %s", (status, ready, state) => {
  expect(podState(pod("p", "n", status, ready))).toBe(state);
});

test("several changes at once come to the same as one after the other", () => {
  const changes = [
    { type: "put", row: pod("lost") },
    { type: "list", rows: [pod("a"), pod("b")] },
    { type: "put", row: pod("c") },
    { type: "delete", row: pod("a") },
    { type: "put", row: pod("b", "n1") },
  ] as const;
  const state = reduceCollection(emptyCollection<Pod>(), {
    type: "changes",
    changes: changes.map((change) =>
      change.type === "list" ? { ...change, rows: [...change.rows] } : change,
    ),
  });
  expect([...state.rows.keys()]).toEqual(["b", "c"]);
  expect(state.rows.get("b")?.object.spec.nodeName).toBe("n1");
  expect(state.synced).toBe(true);
});

test("regrouping places every pod anew, and forgets those that left", () => {
  const pods = new Map(["a", "b"].map((name) => [name, pod(name, "n1")]));
  let state = reducePlacement(new Map(), { type: "pods", pods, now: 0 });
  pods.delete("a");
  state = reducePlacement(state, { type: "pods", pods, now: 1 });
  expect(state.get("n1")).toHaveLength(2);
  const group = () => "all";
  state = reducePlacement(state, { type: "regroup", pods, now: 2, group });
  expect([...state].map(([key, slots]) => [key, slots.length])).toEqual([["all", 1]]);
});

test("a deletion timestamp counts more than any STATUS", () => {
  const row = pod("p", "n", "Running");
  row.object.metadata.deletionTimestamp = "2030-01-01T00:00:00Z";
  expect(podState(row)).toBe("terminating");
});
