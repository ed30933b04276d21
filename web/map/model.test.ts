import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { emptyCollection, reduceCollection } from "../kube/collection.ts";
import type { Pod, Row } from "../kube/types.ts";
import { Store } from "../state/store.ts";
import { MapModel } from "./model.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function pod(name: string, namespace: string, node: string): Row<Pod> {
  return {
    cells: { Name: name, Status: "Running" },
    object: {
      metadata: { name, namespace, uid: name, resourceVersion: "1" },
      spec: { containers: [], nodeName: node },
      status: {},
    },
  };
}

function start() {
  const pods = new Store(reduceCollection<Pod>, emptyCollection<Pod>());
  const model = new MapModel(pods, { by: "node" });
  return { pods, model, groups: () => [...model.placement.state.keys()] };
}

test("pods are placed by the grouping, and anew by another one", () => {
  const { pods, model, groups } = start();
  pods.dispatch({ type: "put", row: pod("a", "blue", "node-1") });
  expect(groups()).toEqual(["node-1"]);
  model.regroup({ by: "namespace" });
  expect(groups()).toEqual(["blue"]);
  const before = model.placement.state;
  model.regroup({ by: "namespace" });
  expect(model.placement.state).toBe(before);
});

test("a place closes up after a while, and never under the pointer", () => {
  const { pods, model } = start();
  pods.dispatch({ type: "put", row: pod("a", "blue", "node-1") });
  pods.dispatch({ type: "put", row: pod("b", "blue", "node-1") });
  pods.dispatch({ type: "delete", row: pod("a", "blue", "node-1") });
  const places = () => model.placement.state.get("node-1")?.length;
  model.pointerOver = true;
  vi.advanceTimersByTime(5000);
  expect(places()).toBe(2);
  model.pointerOver = false;
  vi.advanceTimersByTime(5000);
  expect(places()).toBe(1);
});

test("disposed, it follows nothing and leaves no timer", () => {
  const { pods, model, groups } = start();
  model.dispose();
  pods.dispatch({ type: "put", row: pod("a", "blue", "node-1") });
  expect(groups()).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
