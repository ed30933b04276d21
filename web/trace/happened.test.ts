import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { happened } from "./happened.ts";

/** A tree of one level below its root. */
function tree(...steps: Partial<TraceStep>[]) {
  const root = step(1, { kind: "kubectl.command", component: "kubectl" });
  const lines = steps.map((s, i) => ({ step: step(i + 2, { cause: 1, ...s }), depth: 1 }));
  return { command: root, trace: { tree: () => [{ step: root, depth: 0 }, ...lines] } };
}

function step(id: number, more: Partial<TraceStep>): TraceStep {
  return { id, at: id, component: "c", kind: "c.did", chapter: "etcd", ...more };
}

const words = ({ command, trace }: ReturnType<typeof tree>) =>
  happened(trace, command).map(({ text, failed }) => (failed ? `✕ ${text}` : text));

const pod = (name: string) => ({ resource: "pods", namespace: "default", name });

test("what others made is told by maker and kind; events by the way are not", () => {
  const create = { verb: "create", code: 201 };
  const by = (component: string, id: number) => ({ id, component });
  const found = tree(
    {
      kind: "kubectl.request",
      component: "kubectl",
      details: { method: "POST", path: "/a/deployments", code: 201 },
      took: 8,
    },
    { ...by("deployment-controller", 3) },
    {
      kind: "apiserver.request",
      cause: 3,
      details: create,
      object: { resource: "replicasets", name: "nginx-7f8" },
    },
    {
      kind: "apiserver.request",
      cause: 3,
      details: create,
      object: { resource: "events", name: "e" },
    },
    { kind: "apiserver.request", cause: 3, details: create, object: pod("a") },
    { kind: "apiserver.request", cause: 3, details: create, object: pod("b") },
    { kind: "scheduler.bind", details: { node: "node-1" } },
    { kind: "scheduler.bind", details: { node: "node-3" } },
    { kind: "cri.StartContainer", took: 100 },
  );
  expect(words(found)).toEqual([
    "POST deployments 201 · 8.0 ms",
    "deployment-controller made rs nginx-7f8",
    "2 pods",
    "node-1, node-3",
    "1 started · 109 ms",
  ]);
  // Each leads to who made them, not to the request that they were made by.
  const leads = happened(found.trace, found.command).map(({ step }) => step.component);
  expect(leads.slice(1, 3)).toEqual(["deployment-controller", "deployment-controller"]);
});

test("an event that is refused, of a Namespace that goes, is by the way", () => {
  const refused = { plugin: "NamespaceLifecycle", message: "it is being terminated" };
  const of = (resource: string, id: number) => [
    { id, kind: "apiserver.request", object: { resource } },
    { kind: "admission.refused", cause: id, object: { resource }, details: refused },
  ];
  expect(words(tree(...of("events", 2)))).toEqual([]);
  expect(words(tree(...of("pods", 2)))).toEqual([
    "✕ NamespaceLifecycle refused: it is being terminated",
  ]);
});

test.each<[Partial<TraceStep>, string]>([
  [
    { kind: "admission.refused", details: { plugin: "ResourceQuota", message: "exceeded quota" } },
    "✕ ResourceQuota refused: exceeded quota",
  ],
  [
    { kind: "authorization.forbidden", details: { user: "nobody", verb: "list" } },
    "✕ 403: user nobody may not list",
  ],
  [
    {
      kind: "validation.refused",
      details: {
        kind: "Deployment",
        fields: [{ field: "metadata.name", type: "FieldValueInvalid" }],
      },
    },
    "✕ 422: not valid: metadata.name (invalid)",
  ],
  [
    { kind: "kubectl.refused", details: { message: 'required flag(s) "image" not set' } },
    '✕ refused by kubectl: required flag(s) "image" not set',
  ],
  [{ kind: "cri.PullImage", details: { error: "not found" } }, "✕ PullImage: not found"],
  [
    {
      kind: "cri.PullImage",
      details: {
        error:
          'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nginx:latst": ' +
          'failed to resolve reference "docker.io/library/nginx:latst": docker.io/library/nginx:latst: not found',
      },
    },
    "✕ PullImage: docker.io/library/nginx:latst: not found",
  ],
  [
    { kind: "kubectl.request", details: { method: "POST", path: "/x/pods", code: 409 } },
    "✕ 2 × POST pods 409",
  ],
])("a refusal is told with its reason", (told, said) => {
  expect(words(tree(told, told)).slice(0, 1)).toEqual([said]);
});

test("requests that are alike are one part, from the first to the last of them", () => {
  const post = (name: string, resource: string, code = 201) => ({
    kind: "kubectl.request",
    object: { resource, namespace: "default", name },
    details: { method: "POST", path: `/x/${resource}`, code },
    took: 0.5,
  });
  const pods = Array.from({ length: 41 }, (_, i) => post(`p-${i}`, "pods"));
  const found = tree(post("first", "services"), ...pods, post("taken", "pods", 409));
  expect(words(found)).toEqual([
    "POST services 201 · 0.5 ms",
    "41 × POST pods 201 · 41 ms",
    "✕ POST pods 409 · 0.5 ms",
  ]);
  const [, many] = happened(found.trace, found.command);
  expect(many?.objects.map(({ name }) => name)).toEqual(pods.map(({ object }) => object.name));
  expect(many?.step.object?.name).toBe("p-0");
});

test("a name that is taken is a refusal of the command's own request, not of a controller's", () => {
  const exists = { kind: "registry.exists", details: { key: "/namespaces/a" } };
  const by = (kind: string) =>
    tree({ kind }, { kind: "apiserver.request", cause: 2 }, { ...exists, cause: 3 });
  expect(words(by("kubectl.request"))).toEqual(["✕ 409: /namespaces/a is taken"]);
  expect(words(by("controllers.reconcile"))).toEqual([]);
});

test("a pod that its node refuses is told with its reason, and one that it takes is not", () => {
  const kind = "kubelet.admission";
  const refused = { admitted: false, reason: "OutOfcpu", message: "no room" };
  const found = tree(
    { kind, node: "node-1", object: pod("huge"), details: refused },
    { kind, node: "node-1", object: pod("huge-2"), details: refused },
    { kind, node: "node-1", object: pod("web"), details: { admitted: true } },
  );
  expect(words(found)).toEqual([`✕ node-1 refused "huge": OutOfcpu`]);
});

test("a pod that no node takes is told with its reason, and one that waited before is not", () => {
  const none = { kind: "scheduler.attempt", details: { message: "0/3 nodes" } };
  const made = { kind: "apiserver.request", details: { verb: "create" }, object: pod("huge") };
  const found = tree(made, { ...none, object: pod("huge") }, { ...none, object: pod("old") });
  expect(words(found)).toEqual(["✕ huge: 0/3 nodes"]);
});

test("details of any shape end nothing", () => {
  const kinds = ["kubectl.request", "apiserver.request", "scheduler.bind", "cri.StartContainer"];
  for (const details of [null, 7, [], { method: {}, path: [], node: 3 }]) {
    expect(() => words(tree(...kinds.map((kind) => ({ kind, details }))))).not.toThrow();
  }
});
