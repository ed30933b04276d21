import { expect, test } from "vitest";
import { BEFORE, DEFAULTS, ETCD, keyOf, markOf, NOT_KNOWN, REGISTRY } from "./authors.ts";

test("an author has one mark, whoever comes before it", () => {
  const marks = (names: readonly string[], asked: string) => names.map((one) => markOf(one, asked));
  expect(marks(["kubectl", "kubectl, by its Scale", "kubectl, by its Eviction"], "")).toEqual([
    "asked",
    "asked",
    "asked",
  ]);
  expect(markOf(DEFAULTS, "kubectl")).toBe("defaults");
  expect(marks(["ServiceAccount", "MutatingAdmissionWebhook"], "kubectl")).toEqual([
    "plugin",
    "plugin",
  ]);
  expect(markOf(REGISTRY, "kubectl")).toBe("registry");
  const later = ["kube-scheduler, by its Binding", "kubelet of node-1", "deployment controller"];
  expect(marks(later, "kubectl")).toEqual(["later", "later", "later"]);
  expect(marks([ETCD, BEFORE, NOT_KNOWN], "kubectl")).toEqual(["none", "none", "none"]);
});

test("a controller that has an object created is who asked for it, of its own objects", () => {
  expect(markOf("replicaset controller", "replicaset controller")).toBe("asked");
  expect(markOf("deployment controller", "kubectl")).toBe("later");
  // A name may be anybody's.
  expect(markOf("__proto__", "")).toBe("later");
});

test("the key of colours has those who are there, each mark once, in few words", () => {
  const line = (by: string) => ({ by, mark: markOf(by, "kubectl") });
  const writers = ["kubelet of node-1", "kube-scheduler, by its Binding", "kubelet of node-1"];
  const key = (...names: string[]) => keyOf(names.map(line)).map(({ mark, who }) => [mark, who]);
  const all = [...writers, ETCD, "Priority", "ServiceAccount", "kubectl", REGISTRY, BEFORE];
  expect(key(...all)).toEqual([
    ["asked", "kubectl"],
    ["plugin", "2 admission plugins"],
    ["registry", "registry"],
    ["later", "kubelet of node-1, kube-scheduler"],
    ["none", "etcd, as it was before"],
  ]);
  expect(keyOf(all.map(line)).map(({ names }) => names)[3]).toBe(
    "kubelet of node-1, kube-scheduler",
  );
  expect(key("kube-scheduler, by its Binding", "Webhook")).toEqual([
    ["plugin", "Webhook"],
    ["later", "kube-scheduler"],
  ]);
  expect(key()).toEqual([]);
});
