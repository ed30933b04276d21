import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { caused } from "../trace/steps.testing.ts";
import { whereabouts } from "./whereabouts.ts";

const TITLES: Readonly<Record<string, string>> = {
  kubectl: "kubectl",
  authentication: "Authentication",
  admission: "Admission",
  etcd: "etcd",
  controllers: "Controllers",
  scheduler: "Scheduler",
  kubelet: "kubelet",
  cri: "CRI",
  cni: "CNI",
  startup: "Container startup",
};
const CHAPTERS: Readonly<Record<string, string>> = { cri: "cri", cni: "cni", apiserver: "etcd" };
const of = (id: number, cause: number, kind: string, name = "", chapter?: string) => {
  const [who = ""] = kind.split(".");
  const [resource, called] = name.split(" ");
  return caused(id, cause, kind, {
    chapter: chapter ?? CHAPTERS[who] ?? (who === "registry" ? "etcd" : who),
    ...(resource && called ? { object: { resource, namespace: "default", name: called } } : {}),
  });
};

const command = of(1, 0, "kubectl.command");
const sends = of(2, 1, "kubectl.request");
const asked = of(3, 2, "apiserver.request", "deployments web");
const accepted = of(4, 3, "authentication.accepted");
const decoded = of(5, 3, "admission.mutating");
const prepared = of(6, 3, "registry.created");
const put = of(7, 3, "etcd.put");
const watched = of(8, 7, "etcd.watched");
const heard = of(9, 8, "controllers.informed");
const sync = of(10, 9, "controllers.reconcile");
const exit = of(11, 1, "kubectl.exit");
const post = of(12, 10, "apiserver.request", "replicasets web-1");
const checked = of(13, 12, "authentication.accepted");
const attempt = of(20, 0, "scheduler.attempt", "pods web-1-a");
const status = of(21, 10, "apiserver.request", "replicasets web-1");
const named = of(22, 21, "authentication.accepted");
const pod = of(30, 0, "kubelet.pod", "pods web-1-a");
const binds = of(31, 40, "scheduler.bind", "pods web-1-b");
const other = of(40, 0, "scheduler.attempt", "pods web-1-b");
const box = of(50, 0, "cri.RunPodSandbox", "pods web-1-a");
const net = of(51, 50, "cni.network", "pods web-1-a");
const pause = of(52, 50, "cri.pause", "pods web-1-a");
const starts = of(53, 0, "cri.StartContainer", "pods web-1-a", "startup");
const again = of(54, 53, "kubelet.syncPod", "pods web-1-a");
const told = [command, sends, asked, accepted, decoded, prepared, put, watched, heard, sync, exit]
  .concat([post, checked, attempt, status, named, pod, binds, other, box, net, pause])
  .concat([starts, again]);

const at = (step: TraceStep, chapter: string) =>
  whereabouts({ step, told, steps: told, chapter }, { title: (name) => TITLES[name] });

test("a step of the chapter that is read is now, and so is the request by which it is done", () => {
  expect(at(sends, "kubectl")).toBe("Now: kubectl.");
  expect(at(asked, "kubectl")).toBe("Now: kubectl, by a request.");
  expect(at(accepted, "authentication")).toBe("Now: Authentication.");
  expect(at(decoded, "admission")).toBe("Now: Admission.");
  // The chapter has both, the drawing a station for each.
  expect(at(prepared, "admission")).toBe("Now: Admission, validation.");
  expect(at(post, "controllers")).toBe("Now: Controllers, by a request.");
  expect(at(checked, "controllers")).toBe("Now: Controllers, by a request: Authentication.");
});

test("what runs beside that is said to be meanwhile", () => {
  expect(at(exit, "controllers")).toBe("In the guide: Controllers. Meanwhile: kubectl.");
  for (const step of [status, named])
    expect(at(step, "scheduler")).toBe("In the guide: Scheduler. Meanwhile: Controllers.");
  expect(at(binds, "kubelet")).toBe("In the guide: kubelet. Meanwhile: Scheduler.");
});

test("what goes on with the same is another chapter's step, and not meanwhile", () => {
  expect(at(pause, "cni")).toBe("This step: CRI. In the guide: CNI.");
  expect(at(again, "startup")).toBe("This step: kubelet. In the guide: Container startup.");
});

test("where no chapter is read nothing is said", () => {
  expect(at(sends, "")).toBe("");
});
