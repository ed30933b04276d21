import { expect, test } from "vitest";
import { caused } from "../trace/steps.testing.ts";
import { story } from "./story.ts";

const pod = (name: string) => ({ object: { resource: "pods", namespace: "default", name } });

/** The first pod is written before the second one, which its node has run before the first one's has. */
const steps = [
  caused(1, 0, "kubectl.command"),
  caused(2, 1, "kubectl.request"),
  caused(3, 2, "apiserver.request", pod("slow")),
  caused(4, 3, "etcd.put", pod("slow")),
  caused(5, 2, "apiserver.request", pod("fast")),
  caused(6, 5, "etcd.put", pod("fast")),
  caused(20, 6, "kubelet.syncPod", { ...pod("fast"), node: "b" }),
  caused(21, 20, "cri.RunPodSandbox", { ...pod("fast"), node: "b" }),
  caused(22, 20, "cri.StartContainer", { ...pod("fast"), node: "b" }),
  caused(30, 4, "kubelet.syncPod", { ...pod("slow"), node: "a" }),
  caused(31, 30, "cri.RunPodSandbox", { ...pod("slow"), node: "a" }),
  caused(32, 30, "cri.StartContainer", { ...pod("slow"), node: "a" }),
];
const third = [
  caused(40, 6, "kubelet.syncPod", { ...pod("third"), node: "c" }),
  caused(41, 40, "cri.StartContainer", { ...pod("third"), node: "c" }),
];

test("of several pods the one that was written first is followed to its end", () => {
  expect(story(steps).map(({ id }) => id)).toEqual([1, 2, 3, 4, 30, 31, 32]);
});

test("another pod starts after it, or where it does not", () => {
  expect(story([...steps, ...third]).map(({ id }) => id)).toEqual([1, 2, 3, 4, 30, 31, 32, 41]);
  const without = steps.filter(({ id }) => id < 30);
  expect(story(without).map(({ id }) => id)).toEqual([1, 2, 3, 4, 20, 21, 22]);
});
