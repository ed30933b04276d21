import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { controllerOf, figure, sentence, took } from "./words.ts";

const step = (kind: string, details?: unknown, more: Partial<TraceStep> = {}): TraceStep => ({
  id: 1,
  at: 0,
  component: "c",
  kind,
  chapter: "etcd",
  details,
  ...more,
});
const object = { group: "apps", resource: "deployments", namespace: "default", name: "nginx" };

describe("a step in words", () => {
  test("says what happened, with its figure", () => {
    const put = step("etcd.put", { key: "/registry/x", revision: 12 });
    expect(sentence(put)).toBe("put /registry/x at revision 12");
    expect(figure(put)).toBe("revision 12");
    expect(figure(step("controllers.informed", { event: "ADDED", listeners: 2 }))).toBe(
      "event ADDED, 2 handlers",
    );
    expect(figure(step("kubectl.request", { code: 201 }))).toBe("answer 201");
    const request = step("apiserver.request", { verb: "create", code: 201 }, { object });
    expect(sentence(request)).toBe("POST deployments default/nginx 201");
  });

  test("says of a request about no one object, and of who may not, what it is about", () => {
    const pods = { resource: "pods", namespace: "x" };
    const all = step(
      "apiserver.request",
      { verb: "deletecollection", code: 200 },
      { object: pods },
    );
    expect(sentence(all)).toBe("DELETE pods in x 200");
    const nodes = step("apiserver.request", { verb: "list" }, { object: { resource: "nodes" } });
    expect(sentence(nodes)).toBe("GET nodes");
    const kept = step(
      "authorization.forbidden",
      { user: "ann", verb: "get" },
      { object: { ...pods, name: "p" } },
    );
    expect(sentence(kept)).toBe("forbidden: user ann may not get pod x/p");
  });

  test("says of work that has asked for itself that it comes again", () => {
    const work = { controller: "namespace-controller", item: "x" };
    expect(sentence(step("controllers.reconcile", work))).toBe(
      "the namespace controller takes x from its queue",
    );
    expect(sentence(step("controllers.reconcile", { ...work, again: true }))).toBe(
      "the namespace controller takes x from its queue, again",
    );
    const graph = { queue: "garbage_collector_graph_changes", item: "garbagecollector.event" };
    const controller = "garbage-collector-controller";
    expect(sentence(step("controllers.reconcile", { ...graph, controller }))).toBe(
      "the garbage-collector controller works a change into its graph of owners",
    );
  });

  test("says where kubectl asks, as whom, and which kubeconfig says so", () => {
    const config = {
      files: ["/home/ann/.kube/config"],
      context: "owner@tab",
      user: "owner",
      credentials: "client certificate",
      server: "https://10.96.0.1",
    };
    expect(sentence(step("kubectl.config", config))).toBe(
      "reads /home/ann/.kube/config: the server is https://10.96.0.1, which it asks as owner (client certificate), by the context owner@tab",
    );
  });

  test.each([
    [
      { unneeded: true },
      "did not ask what resources the server has: it knows this one's path",
      "none needed",
    ],
    [{ cached: true }, "read what resources the server has from files that it kept", "from files"],
    [{ path: "/apis", code: 200 }, "GET /apis 200", "/apis"],
  ])("says whether discovery was asked for, read or not needed: %j", (details, said, figured) => {
    expect(sentence(step("kubectl.discovery", details))).toBe(said);
    expect(figure(step("kubectl.discovery", details))).toBe(figured);
  });

  test("says of an admission plugin that refused that it refused, and not that it changed", () => {
    const ended = { plugins: [{ name: "NamespaceLifecycle", refused: true }] };
    expect(sentence(step("admission.mutating", ended))).toBe(
      "NamespaceLifecycle refused it; 1 admission plugin asked, none after that",
    );
    const both = {
      plugins: [{ name: "A", changed: true }, { name: "B" }, { name: "C", refused: true }],
    };
    expect(sentence(step("admission.mutating", both))).toBe(
      "C refused it; 3 admission plugins asked, none after that; before that A changed it",
    );
    const itself = { plugins: [{ name: "A", changed: true, refused: true }] };
    expect(sentence(step("admission.mutating", itself))).toBe(
      "A refused it; 1 admission plugin asked, none after that",
    );
    const quota = { plugins: [{ name: "ResourceQuota", refused: true }, { name: "B" }] };
    expect(sentence(step("admission.validating", quota))).toBe(
      "ResourceQuota refused it; 2 admission plugins asked",
    );
    const none = { plugins: [{ name: "A" }, { name: "B" }] };
    expect(sentence(step("admission.mutating", none))).toBe(
      "2 admission plugins may change it; none changed it",
    );
    expect(sentence(step("admission.validating", none))).toBe(
      "2 admission plugins may refuse it; none refused it",
    );
    const spared = { ...step("admission.mutating", none), cut: "what each plugin changed" };
    expect(sentence(spared)).toBe(
      "2 admission plugins may change it; whether one changed it was not looked at",
    );
  });

  test("counts the plugins of a pass, and says that a refusal ended it", () => {
    const plugins = [{ name: "A" }, { name: "B" }];
    expect(figure(step("admission.mutating", { plugins }))).toBe("2 plugins");
    const ended = { plugins: [{ name: "A", refused: true }] };
    expect(figure(step("admission.mutating", ended))).toBe("1 plugin until a refusal");
    expect(figure(step("admission.validating", ended))).toBe("1 plugin until a refusal");
  });

  test("says in words what is known by a name in the source only", () => {
    const asked = [{ name: "in-process caller", said: "accepted" }];
    expect(sentence(step("authentication.accepted", { user: "system:node:node-1", asked }))).toBe(
      "accepted system:node:node-1 without credentials: in this tab alone it calls from within the server's own process",
    );
    const audit = step("apiserver.audit", { auditID: "a-1" });
    expect(sentence(audit)).toBe(
      "gave the request the ID a-1; no audit policy is set, so that nothing of it is recorded",
    );
    expect(figure(audit)).toBe("not recorded");
  });

  test.each([
    [{ priorityLevel: "exempt" }, "answer 201, level exempt"],
    [{ priorityLevel: "workload-low", waited: 0.004 }, "answer 201, level workload-low"],
    [{ priorityLevel: "workload-low", waited: 3 }, "answer 201, level workload-low, waited 3.0 ms"],
  ])("says how long a request stood in a queue, if it did: %j", (details, figured) => {
    expect(figure(step("apiserver.request", { code: 201, ...details }))).toBe(figured);
  });

  test("says how a login goes, step by step", () => {
    const url = "https://10.97.0.50/dex/token";
    const asked = {
      method: "POST",
      url,
      code: 400,
      grant: "device_code",
      outcome: "authorization_pending",
    };
    expect(sentence(step("login.token", asked))).toBe(
      `asked for a token, by device_code: POST ${url} 400 authorization_pending`,
    );
    expect(figure(step("login.token", asked))).toBe("authorization_pending");
    expect(figure(step("login.token", { url, grant: "password", code: 200 }))).toBe("password");
    const auth = step("login.authorization", { url: "https://10.97.0.50/dex/auth" });
    expect(sentence({ ...auth, variant: "code" })).toBe(
      "sent the person to https://10.97.0.50/dex/auth, who brings back a code",
    );
    const program = "kubectl oidc-login";
    const gave = { program, gave: "token", expires: "2026-12-01T00:00:00Z" };
    expect(sentence(step("kubectl.credentials", gave))).toBe(
      "kubectl oidc-login gave a token, good until 2026-12-01T00:00:00Z",
    );
    const failed = { program, error: "exec: executable kubectl failed with exit code 1" };
    expect(sentence(step("kubectl.credentials", failed))).toBe(
      `${program} gave no credentials: ${failed.error}`,
    );
  });

  test("says so if a key was taken, or had changed", () => {
    const taken = { key: "/registry/x", succeeded: false };
    expect(sentence(step("etcd.put", taken))).toBe("not put: /registry/x is there already");
    expect(figure(step("etcd.put", taken))).toBe("not written");
    expect(sentence(step("etcd.delete", { ...taken, previous: 7 }))).toBe(
      "not deleted: /registry/x has changed since",
    );
    expect(sentence(step("registry.exists", { key: "/namespaces/a" }))).toBe(
      "/namespaces/a is there already, and is read to say so",
    );
  });

  test("names the fields of what is not valid, and no more than a few of them", () => {
    const fields = [
      { field: "metadata.name", type: "FieldValueInvalid" },
      { field: "spec.selector", type: "FieldValueRequired" },
      { field: "spec.strategy.type", type: "FieldValueNotSupported" },
      { field: "spec.replicas", type: "" },
    ];
    const refused = step("validation.refused", { kind: "Deployment", fields, more: 2 });
    expect(sentence(refused)).toBe(
      "not valid: metadata.name (invalid), spec.selector (required), spec.strategy.type (not supported), 3 more",
    );
    expect(figure(refused)).toBe("metadata.name");
  });

  test("of scheduler, kubelet and runtime is a sentence", () => {
    const pod = { resource: "pods", namespace: "default", name: "p" };
    const on = { object: pod, node: "node-1" };
    const said = (kind: string, details: unknown) => sentence(step(kind, details, on));
    expect(said("scheduler.bind", { node: "node-1", code: "Success" })).toBe(
      "bound pod default/p to node-1",
    );
    expect(said("scheduler.bind", { node: "node-1", code: "Error" })).toBe("bind: Error");
    expect(said("scheduler.queued", { queue: "active" })).toBe(
      "put pod default/p into the active queue",
    );
    const nodes = (...totals: number[]) => totals.map((total, i) => ({ node: `node-${i}`, total }));
    expect(said("scheduler.score", { chosen: "node-0", nodes: nodes(7, 3) })).toBe("best: node-0");
    expect(said("scheduler.score", { chosen: "node-1", nodes: nodes(7, 7, 3) })).toBe(
      "best: node-1, one of those with 7, taken by chance",
    );
    const list = { handler: "List", resource: "pods", from: "watch cache" };
    expect(said("apiserver.handler", { ...list, items: 1 })).toBe(
      "answered by the List handler of pods, from the watch cache: 1 object",
    );
    expect(said("apiserver.handler", { ...list, items: 0 })).toMatch(/: 0 objects$/);
    expect(said("apiserver.handler", { handler: "Get", resource: "pods", from: "etcd" })).toBe(
      "answered by the Get handler of pods, from etcd",
    );
    const details = { handler: "Get", resource: "pods", from: "etcd" };
    const object = { resource: "pods", subresource: "log", namespace: "default", name: "p" };
    expect(sentence(step("apiserver.handler", details, { object }))).toBe(
      "the Get handler of pods read the pod from etcd: its log comes from the kubelet of its node",
    );
    expect(said("apiserver.handler", { handler: "Create", resource: "pods" })).toBe(
      "routed to the Create handler of pods",
    );
    expect(said("kubelet.pod", { operation: "ADD" })).toBe("node-1 has a new pod: pod default/p");
    expect(said("kubelet.admission", { admitted: true })).toBe("node-1 takes pod default/p");
    const full = { admitted: false, reason: "OutOfcpu", message: "no room" };
    expect(said("kubelet.admission", full)).toBe("node-1 refused pod default/p: OutOfcpu, no room");
    expect(said("kubelet.status", { phase: "Running", conditions: ["Ready=True"] })).toBe(
      "node-1 reports pod default/p: Running, ready",
    );
    const waits = (...containers: string[]) =>
      said("kubelet.status", { phase: "Pending", containers });
    expect(waits("a: waiting: ContainerCreating, 0 restarts")).toBe(
      "node-1 reports pod default/p: Pending",
    );
    expect(waits("a: running, ready, 0 restarts", "b: waiting: ErrImagePull, 0 restarts")).toBe(
      "node-1 reports pod default/p: Pending: ErrImagePull",
    );
    expect(said("cni.network", { ips: ["10.244.0.2"] })).toBe(
      "gave pod default/p 10.244.0.2 on node-1",
    );
    expect(said("cri.StartContainer", null)).toBe(
      "StartContainer: the runtime started a container of pod default/p on node-1",
    );
    expect(said("cri.PullImage", { error: "not found" })).toBe(
      "PullImage failed for pod default/p on node-1: not found",
    );
  });

  test("says what Strict means, where it stands first", () => {
    const made = { kind: "Pod", name: "x", apiVersion: "v1", validated: "the server, Strict" };
    expect(sentence(step("kubectl.object", made))).toBe(
      "made Pod x of v1; the server is to check its fields (Strict: it refuses those that it does not know)",
    );
  });

  test("says what the server does with fields of which no check is asked for: upstream's default", () => {
    const made = { kind: "Pod", name: "x", apiVersion: "v1", validated: "not asked for" };
    expect(sentence(step("kubectl.object", made))).toBe(
      "made Pod x of v1; no check of its fields is asked for, so that the server warns of those that it does not know",
    );
  });

  test("says of a dry run by kubectl itself that nothing is sent", () => {
    const made = { kind: "Pod", name: "x", apiVersion: "v1", dryRun: "client" };
    expect(sentence(step("kubectl.object", made))).toBe(
      "made Pod x of v1, and prints it only: a dry run sends it to nobody",
    );
  });

  test("says of an end whose it is, and what its number means", () => {
    expect(sentence(step("kubectl.exit", { code: 0 }))).toBe("kubectl ended, exit code 0");
  });

  test("of a request has its level, and how long it waited, with the unit", () => {
    const details = { verb: "create", code: 201, priorityLevel: "exempt", waited: 0.1 };
    expect(figure(step("apiserver.request", details))).toBe(
      "answer 201, level exempt, waited 0.1 ms",
    );
    expect(figure(step("apiserver.request", { verb: "create", code: 201 }))).toBe("answer 201");
  });

  test("names who adopted whom", () => {
    const details = { type: "v1.Pod", name: "p", by: { type: "v1.ReplicaSet", name: "web" } };
    expect(sentence(step("controllers.adopted", details))).toBe(
      "v1.ReplicaSet web adopted v1.Pod p",
    );
  });

  test("that nobody knows by name is said by what it did and to what", () => {
    const run = step("cri.Tomorrow", undefined, { object, node: "node-1" });
    expect(sentence(run)).toBe("Tomorrow deployment default/nginx on node-1");
  });

  // Each line of it begins with a kind's name, before its variant. Those of the start have a view of their own.
  const kinds =
    readFileSync("core/trace/places.txt", "utf8").match(/^(?!start\.)[^\t\n/]+/gm) ?? [];
  test.each([...new Set(kinds)])("%s has a sentence of its own", (kind) => {
    const all = new Proxy({}, { get: () => "x" });
    const on = { object, node: "node-1" };
    const act = kind.slice(kind.indexOf(".") + 1);
    expect(sentence(step(kind, all, on))).not.toBe(`${act} deployments default/nginx on node-1`);
  });

  test("says why a pod moved, whom a node's data path leads to, and why a node is not heard", () => {
    const pod = { resource: "pods", namespace: "default", name: "p" };
    const said = (kind: string, details: unknown) =>
      sentence(step(kind, details, { object: pod, node: "alpha" }));
    const moved = { queue: "backoff", why: "NodeAdd", object: "node-4" };
    expect(said("scheduler.moved", moved)).toBe(
      "moved pod default/p to the backoff queue, by NodeAdd of node-4",
    );
    expect(said("scheduler.postfilter", { code: "Success", node: "alpha" })).toBe(
      "pods of less priority leave alpha for pod default/p",
    );
    expect(said("scheduler.postfilter", { message: "not eligible" })).toBe(
      "no pod's leaving helps pod default/p: not eligible",
    );
    const port = { address: "10.96.7.1:80", endpoints: ["10.244.0.2:80"], moreEndpoints: 2 };
    expect(said("network.service", { service: "default/web", ports: [port] })).toBe(
      "alpha leads default/web, 10.96.7.1:80, to 3 endpoints",
    );
    expect(said("network.endpoints", { service: "default/web", ports: [] })).toBe(
      "alpha leads default/web nowhere",
    );
    expect(said("node.cutOff", { why: "a line is not what a node says" })).toBe(
      "alpha is cut off: a line is not what a node says",
    );
    expect(said("node.missed", { steps: 7 })).toBe("alpha could not tell 7 steps");
  });

  test("says what a change is, and that a patch was applied to what was there", () => {
    const patch = { type: "strategic-merge-patch+json", of: "deployments", name: "web" };
    const json = { of: "deployments", name: "web", type: "json-patch+json" };
    expect(sentence(step("kubectl.patch", json))).toBe("made a JSON patch of deployments web");
    expect(sentence(step("kubectl.patch", patch))).toBe(
      "made a strategic merge patch of deployments web",
    );
    const details = { bytes: 70, managers: [] };
    const patched = step("apiserver.decoded", details, { object, variant: "patch" });
    expect(sentence(patched)).toBe("applied 70 bytes of patch to deployment default/nginx");
    expect(sentence(step("apiserver.decoded", details, { object, variant: "update" }))).toBe(
      "made an object of the 70 bytes that were sent, and filled in defaults where fields had none",
    );
    const noted = (fields: number) => ({
      bytes: 70,
      managers: [{ name: "kubectl-create", fields }],
    });
    // Upstream fills in defaults before it notes whose the fields are.
    expect(sentence(step("apiserver.decoded", noted(24)))).toBe(
      "made an object of the 70 bytes that were sent, and filled in defaults where fields had none; kubectl-create is noted as who set 24 fields",
    );
    expect(sentence(step("apiserver.decoded", noted(1)))).toBe(
      "made an object of the 70 bytes that were sent, and filled in defaults where fields had none; kubectl-create is noted as who set 1 field",
    );
    expect(sentence(step("registry.updated", null, { object }))).toBe(
      "prepared and validated the change of deployment default/nginx",
    );
  });

  test("says what each CNI plugin did", () => {
    const pod = { resource: "pods", namespace: "default", name: "p" };
    const said = (details: unknown) =>
      sentence(step("cni.plugin", details, { object: pod, node: "alpha" }));
    const add = { plugin: "bridge", command: "ADD" };
    expect(said({ ...add, ips: ["10.244.0.2/24"] })).toBe(
      "bridge ADD: gave pod default/p on alpha 10.244.0.2/24",
    );
    expect(said({ ...add, error: "no room" })).toBe(
      "bridge ADD failed for pod default/p on alpha: no room",
    );
    expect(said({ ...add, idle: true })).toBe(
      "bridge ADD was not called: pod default/p on alpha wants nothing of it",
    );
    expect(said({ ...add, command: "DEL" })).toBe("bridge DEL for pod default/p on alpha");
  });

  test.each([null, "text", 7, [], { asked: 3, plugins: { length: 9 }, user: { a: 1 } }])(
    "with details of any shape ends nothing: %j",
    (details) => {
      for (const kind of ["authentication.accepted", "admission.mutating", "scheduler.filter"]) {
        expect(typeof sentence(step(kind, details))).toBe("string");
        expect(typeof figure(step(kind, details))).toBe("string");
      }
    },
  );

  test.each([
    ["Node", "allowed u to get, by the Node authorizer"],
    ["group system:masters", "allowed u to get, by group system:masters"],
    ["", "allowed u to get"],
  ])("who allowed something is an authorizer, or a group: %s", (name, said) => {
    const details = { user: "u", verb: "get", asked: name ? [{ name }] : [] };
    expect(sentence(step("authorization.allowed", details))).toBe(said);
  });

  test("a volume, a probe, a hook and a node's ways say which", () => {
    const volume = step("kubelet.volume", { volume: "data", from: "claim data" }, { node: "n1" });
    expect(sentence(volume)).toBe("mounted data (claim data) on n1");
    const log = step(
      "kubelet.logs",
      { container: "c" },
      { node: "n1", object: { resource: "pods", name: "web" } },
    );
    expect(sentence(log)).toBe("n1 reads the log of c in pod web, and sends it");
    const probe = step("kubelet.probe", { probe: "Readiness", container: "c", by: "httpGet" });
    expect(sentence(probe)).toBe("readiness probe of c succeeded (httpGet)");
    const slept = { hook: "preStop", container: "c", by: "sleep", seconds: 5 };
    expect(sentence(step("kubelet.hook", slept))).toBe("preStop hook of c slept 5 s");
    const asked = { hook: "postStart", container: "c", by: "httpGet", port: "80" };
    expect(sentence(step("kubelet.hook", asked))).toBe(
      "postStart hook of c asked port 80 by httpGet",
    );
    const ways = step("network.ways", { pods: "10.244.1.0/24" }, { node: "alpha" });
    expect(sentence(ways)).toBe("alpha has pods in 10.244.1.0/24");
  });

  test("a refusal says who refused the credentials, and why", () => {
    const refused = (details: unknown) => sentence(step("authentication.refused", details));
    expect(refused({ reason: "OIDC: the token has expired" })).toBe(
      "nobody accepted the credentials: 401; OIDC: the token has expired",
    );
    for (const details of [undefined, {}, { reason: ["x"] }]) {
      expect(refused(details)).toBe("nobody accepted the credentials: 401");
    }
  });

  test("a batch of pods says how many are left, and no other follows one that failed", () => {
    const batch = (details: unknown) => sentence(step("controllers.batch", details));
    expect(batch({ size: 1, remaining: 3, most: 500 })).toBe(
      "1 pod created, 2 left to create; one sync creates 500 at most",
    );
    expect(figure(step("controllers.batch", { size: 1, remaining: 3 }))).toBe("1 of 3 pods");
    expect(batch({ size: 2, remaining: 2 })).toBe("2 pods created together, none left to create");
    expect(batch({ size: 2, remaining: 5, failed: 1 })).toBe("2 pods tried together, 1 failed");
  });

  test("times are for people", () => {
    expect([0.31, 12.4, 1240, undefined].map(took)).toEqual(["0.3 ms", "12 ms", "1.24 s", ""]);
  });
});

test.each([
  [{ controller: "taint-eviction-controller", queue: "noexec_taint_pod" }, "taint-eviction"],
  [{ controller: "replicaset-controller", queue: "replicaSet" }, "replicaset"],
  [{ queue: "a_queue_of_tomorrow" }, "a-queue-of-tomorrow"],
  [{ controller: 7, queue: "constructor" }, "7"],
  [{}, ""],
  [undefined, ""],
])("whose work %j is: %s", (details, controller) => {
  expect(controllerOf(details)).toBe(controller);
});
