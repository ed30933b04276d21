import { expect, test } from "vitest";
import { step } from "../trace/steps.testing.ts";
import { whoAt } from "./at-node.ts";

test.each([
  ["kubelet.syncPod", "kubelet"],
  ["cri.StartContainer", "runtime"],
  ["cri.pause", "runtime"],
  ["cni.network", "network"],
])("%s is done in a node by its %s", (kind, who) => {
  expect(whoAt(step(1, kind))).toBe(who);
});

test("a node where nothing is done is its kubelet's", () => {
  expect(whoAt(undefined)).toBe("kubelet");
});
