import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { plain } from "../prose/prose.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import { caused } from "../trace/steps.testing.ts";
import type { Inline, Proof } from "./chapter.ts";
import { compileChapter } from "./compile.ts";
import { claimsOf, current } from "./current.ts";

/* What is marked in the chapters' own texts while the guide's own command is told: what the caption of each step says. */

const FOLDER = "web/guide/chapters";

function claims(chapter: string): readonly Proof[] {
  const file = readdirSync(FOLDER).find((one) => one.endsWith(`-${chapter}.md`)) ?? "";
  return claimsOf(compileChapter(file, readFileSync(`${FOLDER}/${file}`, "utf8")).blocks);
}

const words = (claim: Proof | undefined) =>
  claim && plain((claim as Proof & { of: readonly Inline[] }).of);

/** What is marked in a chapter at each of these steps, which are told in this order. */
const marks = (chapter: string, story: readonly TraceStep[], steps = story) =>
  story.map((now) => words(current(claims(chapter), { steps, story, now, chapter })));

const of = (resource: string, subresource?: string) => ({
  resource,
  namespace: "default",
  name: "nginx",
  ...(subresource === undefined ? {} : { subresource }),
});
/** A request, with what the server does for it. */
function asks(id: number, cause: number, object: ReturnType<typeof of>, code: number) {
  const verb = code === 201 ? "create" : "update";
  return [
    caused(id, cause, "apiserver.request", { object, details: { verb, code } }),
    caused(id + 1, id, "authentication.accepted", { chapter: "authentication" }),
    caused(id + 2, id, "admission.mutating", { chapter: "admission" }),
    caused(id + 3, id, "etcd.put"),
    caused(id + 4, id + 3, "etcd.watched"),
  ];
}
const chapter = "controllers";
const heard = (id: number, cause: number, type: string) =>
  caused(id, cause, "controllers.informed", { chapter, details: { event: "added", type } });
const works = (id: number, cause: number, queue: string) => [
  caused(id, cause, "controllers.reconcile", { chapter, details: { queue } }),
  caused(id + 1, id, "controllers.read", { chapter, details: { queue } }),
];
const batch = (id: number, cause: number) => caused(id, cause, "controllers.batch", { chapter });
const five = (said: string | undefined) => Array.from({ length: 5 }, () => said);

test("of Controllers it is the request that is under way, and no sentence before it", () => {
  const exit = caused(900, 1, "kubectl.exit", { chapter: "kubectl" });
  const story = [
    heard(10, 0, "v1.Deployment"),
    ...works(12, 10, "deployment"),
    exit,
    ...asks(20, 12, of("replicasets"), 201),
    ...asks(30, 12, of("deployments", "status"), 200),
    heard(40, 24, "v1.ReplicaSet"),
    ...works(42, 40, "replicaset"),
    batch(44, 42),
    ...asks(50, 44, of("pods"), 201),
    batch(60, 42),
    heard(62, 54, "v1.Pod"),
  ];
  expect(marks(chapter, story)).toEqual([
    "for each event",
    "takes it",
    "reads what is",
    undefined,
    ...five("makes one"),
    ...five("status"),
    "is an event",
    "sees",
    "looked up its pods",
    "in batches",
    ...five("creates pods"),
    // The second batch, and what the scheduler hears of: the text has no sentence of their own.
    undefined,
    undefined,
  ]);
});

test("of the Scheduler it is what that does, and nothing while another controller writes", () => {
  const scheduler = (id: number, cause: number, kind: string) =>
    caused(id, cause, `scheduler.${kind}`, { chapter: "scheduler" });
  const story = [
    scheduler(10, 0, "queued"),
    scheduler(11, 10, "attempt"),
    scheduler(12, 11, "prefilter"),
    scheduler(13, 11, "filter"),
    scheduler(14, 11, "score"),
    ...asks(20, 2, of("replicasets", "status"), 200),
    scheduler(30, 11, "reserve"),
    scheduler(31, 11, "permit"),
    scheduler(32, 11, "bind"),
    ...asks(40, 32, of("pods", "binding"), 201),
  ];
  const hears = caused(2, 0, "controllers.reconcile", { chapter });
  expect(marks("scheduler", story, [hears, ...story])).toEqual([
    "into its queue",
    "takes the pod",
    "takes the pod",
    "asks of each node",
    "rates those that are left",
    ...five(undefined),
    "notes the choice",
    undefined,
    "POSTs a Binding",
    ...five("is not stored itself"),
  ]);
});

test("of Admission that an object is validated is not marked as what plugins do that only look", () => {
  const object = of("deployments");
  const request = caused(2, 1, "apiserver.request", { object, details: { code: 201 } });
  const kinds = ["apiserver.decoded", "admission.mutating", "registry.created"];
  const parts = [...kinds, "admission.validating"].map((kind, i) =>
    caused(3 + i, 2, kind, { object, chapter: kind.startsWith("registry") ? "etcd" : "admission" }),
  );
  expect(marks("admission", parts, [request, ...parts])).toEqual([
    "decoded",
    "What each did",
    "validated as a Deployment",
    "that only look",
  ]);
});

test("of CNI nothing is marked while the pause process is told, which is another chapter's", () => {
  const steps = [
    caused(1, 0, "cri.RunPodSandbox", { chapter: "cri" }),
    caused(2, 1, "cni.network", { chapter: "cni" }),
    caused(3, 1, "cri.pause", { chapter: "cri" }),
  ];
  expect(marks("cni", steps)).toEqual([undefined, "given like this", undefined]);
});

test("of Container startup nothing of one node is marked as what is done on another", () => {
  const startup = (id: number, cause: number, kind: string) =>
    caused(id, cause, kind, { chapter: "startup" });
  const steps = [
    startup(3, 1, "cri.PullImage"),
    startup(4, 1, "cri.CreateContainer"),
    startup(5, 1, "cri.StartContainer"),
    startup(6, 2, "cri.StartContainer"),
  ];
  const syncs = [1, 2].map((id) => caused(id, 0, "kubelet.syncPod", { chapter: "kubelet" }));
  expect(marks("startup", steps, [...syncs, ...steps])).toEqual([
    "Pull",
    "Create",
    "Start",
    undefined,
  ]);
});
