import type { KindsResult, TraceLine, TraceObject, TraceStep } from "../rpc/protocol.ts";

type Listener = (line: TraceLine) => void;

/** When a pod's life goes on, in milliseconds after the command: FakeCluster's own times. */
const BOUND = 80;
const STARTED = 300;

const OWNER = "kubernetes-admin";
const GITHUB = "https://github.com/kubernetes/kubernetes/blob/v1.36.3/";

/** The kinds of the fake's steps: chapter and source. */
const KINDS: Readonly<Record<string, [chapter: string, source: string]>> = {
  "start.flags": ["start", "cmd/kube-apiserver/app/options/completion.go#L58"],
  "start.authentication": ["start", "pkg/kubeapiserver/authenticator/config.go#L238"],
  "start.authorization": ["start", "pkg/kubeapiserver/authorizer/reload.go#L179"],
  "start.admission": ["start", "staging/src/k8s.io/apiserver/pkg/admission/plugins.go#L137"],
  "start.groups": ["start", ""],
  "start.hooks": ["start", "staging/src/k8s.io/apiserver/pkg/server/hooks.go#L167"],
  "admission.refused": ["admission", ""],
  "validation.refused": ["etcd", ""],
  "kubectl.command": ["kubectl", "staging/src/k8s.io/kubectl/pkg/cmd/cmd.go#L122"],
  "kubectl.config": ["kubectl", ""],
  "kubectl.request": ["kubectl", "staging/src/k8s.io/client-go/rest/request.go#L1243"],
  "kubectl.exit": ["kubectl", ""],
  "kubectl.object": ["kubectl", ""],
  "apiserver.decoded": ["admission", ""],
  "registry.created": ["etcd", ""],
  "apiserver.handler": ["etcd", ""],
  "apiserver.handler/list": [
    "etcd",
    "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/get.go#L315",
  ],
  "apiserver.request": ["etcd", "staging/src/k8s.io/apiserver/pkg/server/config.go#L1112"],
  "authentication.accepted": [
    "authentication",
    "staging/src/k8s.io/apiserver/pkg/endpoints/filters/authentication.go#L67",
  ],
  "authorization.allowed": [
    "authorization",
    "staging/src/k8s.io/apiserver/pkg/endpoints/filters/authorization.go#L71",
  ],
  "admission.mutating": ["admission", ""],
  "admission.validating": ["admission", ""],
  "etcd.put": ["etcd", "staging/src/k8s.io/apiserver/pkg/storage/etcd3/store.go#L317"],
  "etcd.put/update": ["etcd", "staging/src/k8s.io/apiserver/pkg/storage/etcd3/store.go#L597"],
  "etcd.watched": ["etcd", ""],
  "controllers.informed": ["controllers", ""],
  "controllers.reconcile": ["controllers", ""],
  "scheduler.queued": ["scheduler", ""],
  "scheduler.attempt": ["scheduler", "pkg/scheduler/schedule_one.go#L67"],
  "scheduler.filter": ["scheduler", ""],
  "scheduler.score": ["scheduler", ""],
  "scheduler.bind": ["scheduler", ""],
  "kubelet.syncPod": ["kubelet", "pkg/kubelet/kubelet.go#L2019"],
  "cri.RunPodSandbox": ["cri", "pkg/kubelet/kuberuntime/kuberuntime_sandbox.go#L38"],
  "cri.PullImage": ["startup", ""],
  "cri.CreateContainer": ["startup", ""],
  "cri.StartContainer": ["startup", ""],
  "kubelet.event": ["kubelet", ""],
};

/** What a step says unasked, of those of which that is less than they hold. */
function briefly({ kind, details }: TraceStep): Partial<TraceStep> {
  if (kind === "scheduler.filter") {
    const { feasible, nodes, plugins } = details as Record<"feasible" | "nodes" | "plugins", []>;
    return { brief: true, details: { feasible, of: nodes.length, filters: plugins.length } };
  }
  return kind.startsWith("cri.") ? { brief: true, details: undefined } : {};
}

/** One step as the fake has it: when it began after the command, how long it took, who did it. */
type Told = [at: number, took: number, component: string, kind: string];
type More = Pick<Partial<TraceStep>, "object" | "details" | "node" | "causes" | "variant">;

/**
 * What a cluster tells of creating a Deployment: the shape of a real trace, with few of its steps. It
 * comes as it happens, so that a view can be seen following it.
 */
export class FakeTrace {
  readonly #lines: TraceLine[] = [];
  readonly #listeners = new Set<Listener>();
  #last = 0;
  /** The shell whose line runs. */
  session = "";
  #revision = 700;

  kinds(): KindsResult {
    return {
      version: "v1.36.3",
      kinds: Object.entries(KINDS).map(([key, [chapter, source]]) => ({
        name: key.split("/")[0] ?? "",
        ...(key.includes("/") ? { variant: key.split("/")[1] ?? "" } : {}),
        chapter,
        package: "",
        func: "",
        url: source === "" ? "" : GITHUB + source,
      })),
    };
  }

  step(id: number): TraceStep | undefined {
    return this.#lines
      .flatMap((line) => ("step" in line ? [line.step] : []))
      .find((s) => s.id === id);
  }

  /** Tells all that is held in brief, then what comes, until `stop`. */
  follow(stop: AbortSignal, listener: Listener): Promise<Record<string, never>> {
    const tell: Listener = (line) =>
      listener("step" in line ? { step: { ...line.step, ...briefly(line.step) } } : line);
    for (const line of this.#lines) tell(line);
    this.#listeners.add(tell);
    return new Promise((resolve) =>
      stop.addEventListener("abort", () => {
        this.#listeners.delete(tell);
        resolve({});
      }),
    );
  }

  export(): string {
    const steps = this.#lines.flatMap((line) => ("step" in line ? [line.step] : []));
    return JSON.stringify({ gone: 0, source: this.kinds(), steps });
  }

  /** Says that so many steps went before they could be read. */
  miss(missed: number): void {
    this.#tell({ missed });
  }

  /** What a server says of itself when it starts. */
  started(): void {
    const now = Date.now();
    const tell = (kind: string, ...names: string[]) =>
      this.#add(now, 0, [0, 0, "kube-apiserver", kind], { details: { names } });
    tell("start.flags", "--authorization-mode=Node,RBAC", "--etcd-servers=http://127.0.0.1:2379");
    tell("start.authentication", "front proxy's headers", "client certificate", "bearer token");
    tell("start.authorization", "Node", "RBAC");
    for (const plugin of ["NamespaceLifecycle", "ServiceAccount", "ResourceQuota"]) {
      tell("start.admission", plugin);
    }
    tell("start.groups", "/api/v1", "/apis/apps/v1", "/apis/batch/v1");
    tell("start.hooks", "bootstrap-controller", "start-apiserver-admission-initializer");
  }

  /** A command that an admission plugin turns back. */
  refused(line: string, name: string): void {
    const object = { ...objectOf("apps", "deployments", name), namespace: "nowhere" };
    this.#turnedBack(line, object, 404, "admission.refused", {
      plugin: "NamespaceLifecycle",
      message: 'namespaces "nowhere" not found',
    });
  }

  /** A command whose object is not valid. */
  invalid(line: string, name: string): void {
    this.#turnedBack(line, objectOf("apps", "deployments", name), 422, "validation.refused", {
      kind: "Deployment",
      fields: [{ field: "metadata.name", type: "FieldValueInvalid" }],
    });
  }

  #turnedBack(line: string, object: TraceObject, code: number, by: string, details: unknown): void {
    const now = Date.now();
    const command = this.#add(now, 0, [0, 20, "kubectl", "kubectl.command"], { details: { line } });
    const asked = this.#add(now, command, [4, 8, "kubectl", "kubectl.request"], {
      details: {
        method: "POST",
        path: `/apis/apps/v1/namespaces/${object.namespace ?? ""}/deployments`,
        code,
      },
    });
    const request = this.#add(now, asked, [5, 6, "kube-apiserver", "apiserver.request"], {
      object,
      details: { verb: "create", code, user: OWNER },
    });
    this.#add(now, request, [6, 0.3, "kube-apiserver", "authentication.accepted"], {
      details: { asked: [{ name: "client certificate", answer: "accepted" }], user: OWNER },
    });
    this.#add(now, request, [7, 1, "kube-apiserver", by], { object, details });
    this.#add(now, command, [20, 0, "kubectl", "kubectl.exit"], { details: { code: 1 } });
  }

  /** A command that only looks. */
  looked(line: string): void {
    const now = Date.now();
    const command = this.#add(now, 0, [0, 20, "kubectl", "kubectl.command"], { details: { line } });
    const resource = line.split(" ")[2] ?? "pods";
    const path = `/api/v1/namespaces/default/${resource}`;
    const asked = this.#add(now, command, [4, 8, "kubectl", "kubectl.request"], {
      details: { method: "GET", path, code: 200 },
    });
    const request = this.#add(now, asked, [5, 6, "kube-apiserver", "apiserver.request"], {
      details: { verb: "list", path, code: 200, user: OWNER },
    });
    this.#add(now, request, [6, 0.3, "kube-apiserver", "authentication.accepted"], {
      details: { asked: [{ name: "client certificate", answer: "accepted" }], user: OWNER },
    });
    this.#add(now, request, [7, 2, "kube-apiserver", "apiserver.handler"], {
      variant: "list",
      details: { handler: "List", from: "watch cache", items: 3, resource, moments: [] },
    });
    this.#add(now, command, [20, 0, "kubectl", "kubectl.exit"], { details: { code: 0 } });
  }

  /** A Deployment is made, with its pods by name. */
  created(line: string, name: string, pods: readonly { name: string; node: string }[]): void {
    const now = Date.now();
    const later = (ms: number, run: () => void) => setTimeout(run, ms);
    const deployment = objectOf("apps", "deployments", name);
    const command = this.#add(now, 0, [0, 18, "kubectl", "kubectl.command"], {
      details: { line, command: "kubectl create deployment" },
    });
    this.#add(now, command, [1, 0.4, "kubectl", "kubectl.config"], {
      details: {
        files: ["~/.kube/config"],
        context: "owner@tab",
        cluster: "tab",
        user: "owner",
        server: "https://127.0.0.1:6443",
        ca: "the CA that is given",
        credentials: "client certificate",
      },
    });
    const path = "/apis/apps/v1/namespaces/default/deployments";
    this.#add(now, command, [3, 0, "kubectl", "kubectl.object"], {
      details: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        name,
        validated: "the server, Strict",
        object: objectSent(deployment),
      },
    });
    const asked = this.#add(now, command, [4, 12, "kubectl", "kubectl.request"], {
      details: {
        method: "POST",
        path,
        query: "fieldManager=kubectl-create",
        bytes: 268,
        code: 201,
      },
    });
    const told = this.#request(now, asked, 5, OWNER, "client certificate", deployment);
    this.#add(now, command, [18, 0, "kubectl", "kubectl.exit"], { details: { code: 0 } });
    const replicaSet = objectOf("apps", "replicasets", `${name}-7d4f9c6b58`);
    const one = this.#reconcile(now, told, 20, "deployment", deployment);
    const two = this.#reconcile(
      now,
      this.#request(now, one, 24, serviceAccount("deployment"), "bearer token", replicaSet),
      36,
      "replicaset",
      replicaSet,
    );
    pods.forEach(({ name: pod, node }, i) => {
      const object = objectOf("", "pods", pod);
      const seen = this.#request(
        now,
        two,
        40 + 6 * i,
        serviceAccount("replicaset"),
        "bearer token",
        object,
      );
      later(BOUND, () => {
        const bound = this.#schedule(now, seen, 52 + 6 * i, object, node);
        later(STARTED - BOUND, () => this.#start(now, bound, object, node, name));
      });
    });
  }

  /** A write: its request with what the server asks, its revision, and the watch that is told. */
  #request(
    now: number,
    cause: number,
    at: number,
    user: string,
    by: string,
    object: TraceObject,
    verb = "create",
  ): number {
    const id = this.#next();
    const under = (told: Told, details: unknown, of?: TraceObject) =>
      this.#add(now, id, told, { details, ...(of ? { object: of } : {}) });
    const server = "kube-apiserver";
    under([at + 0.2, 0.3, server, "authentication.accepted"], {
      asked: [
        { name: "front proxy's headers", answer: "not mine" },
        { name: by, answer: "accepted" },
      ],
      user,
      groups: ["system:authenticated"],
    });
    under([at + 0.6, 0.1, server, "authorization.allowed"], {
      asked: [
        { name: "Node", answer: "no opinion" },
        { name: "RBAC", answer: "allow", reason: `RBAC: allowed by ClusterRoleBinding "${by}"` },
      ],
      user,
      verb,
    });
    if (verb === "create") {
      under(
        [at + 0.8, 0, server, "apiserver.decoded"],
        {
          sent: objectSent(object),
          changed: [{ path: ".spec.revisionHistoryLimit", after: 10 }],
          managers: [{ name: "kubectl-create", operation: "Update", fields: 12 }],
          bytes: 268,
        },
        object,
      );
    }
    under([at + 1, 0.9, server, "admission.mutating"], {
      operation: "CREATE",
      plugins: [
        { name: "NamespaceLifecycle", took: 0.1 },
        {
          name: "ServiceAccount",
          took: 0.4,
          changed: [{ path: ".spec.serviceAccountName", after: "default" }],
        },
      ],
    });
    if (verb === "create") {
      const made = { changed: [{ path: ".metadata.uid", after: `uid-${id}` }] };
      under([at + 2, 0, server, "registry.created"], made, object);
    }
    under([at + 2.2, 0.4, server, "admission.validating"], {
      operation: "CREATE",
      plugins: [{ name: "ResourceQuota", took: 0.2 }],
    });
    const revision = ++this.#revision;
    const key = `/registry/${object.resource ?? ""}/default/${object.name ?? ""}`;
    const put = this.#add(now, id, [at + 3, 1.4, "etcd", "etcd.put"], {
      ...(verb === "create" ? {} : { variant: "update" }),
      details: { key, revision, bytes: 1180, succeeded: true },
      object: { ...object, resourceVersion: String(revision) },
    });
    const watch = `/registry/${object.resource ?? ""}/`;
    const told = this.#add(now, put, [at + 5, 0.6, "etcd", "etcd.watched"], {
      details: { key, watch, revision },
    });
    this.#add(
      now,
      cause,
      [at, 7, server, "apiserver.request"],
      { details: { verb, path: key, code: 201, user, agent: "kubectl/v1.36.3" }, object },
      id,
    );
    return told;
  }

  #reconcile(now: number, cause: number, at: number, queue: string, object: TraceObject) {
    const manager = "kube-controller-manager";
    const told = this.#add(now, cause, [at, 0, manager, "controllers.informed"], {
      object,
      details: { event: "ADDED", type: object.resource, listeners: 2 },
    });
    return this.#add(now, told, [at + 1, 9, manager, "controllers.reconcile"], {
      details: {
        queue,
        controller: `${queue}-controller`,
        item: `default/${object.name ?? ""}`,
        added: 1,
        waited: 0.4,
      },
    });
  }

  #schedule(now: number, cause: number, at: number, object: TraceObject, node: string): number {
    const scheduler = "kube-scheduler";
    const nodes = ["node-1", "node-2", "node-3"];
    const queued = this.#add(now, cause, [at, 0.2, scheduler, "scheduler.queued"], {
      object,
      details: { queue: "active" },
    });
    const attempt = this.#add(now, queued, [at + 1, 3, scheduler, "scheduler.attempt"], {
      object,
      details: { result: "scheduled", node, attempt: 1, waitedMs: 0.4 },
    });
    const filters = ["NodeUnschedulable", "TaintToleration", "NodeResourcesFit"];
    this.#add(now, attempt, [at + 1.4, 0.3, scheduler, "scheduler.filter"], {
      object,
      details: {
        plugins: filters,
        feasible: 3,
        nodes: nodes.map((n) => ({ node: n, passed: true })),
      },
    });
    this.#add(now, attempt, [at + 2, 0.4, scheduler, "scheduler.score"], {
      object,
      details: {
        chosen: node,
        nodes: nodes.map((n, i) => ({
          node: n,
          total: n === node ? 380 : 300 + i,
          scores: [
            { plugin: "NodeResourcesFit", scored: true, raw: 90, normalized: 90, weighted: 90 },
            { plugin: "ImageLocality", scored: true, raw: 0, normalized: 0, weighted: 0 },
          ],
        })),
      },
    });
    const bind = this.#add(now, attempt, [at + 3, 8, scheduler, "scheduler.bind"], {
      object,
      details: { node, code: "Success" },
    });
    const binding = { ...object, subresource: "binding" };
    return this.#request(now, bind, at + 4, "system:kube-scheduler", "client certificate", binding);
  }

  #start(now: number, cause: number, object: TraceObject, node: string, container: string): void {
    const at = STARTED - 60;
    const sync = this.#add(now, cause, [at, 60, "kubelet", "kubelet.syncPod"], {
      object,
      node,
      details: { updateType: "create" },
    });
    const call = (after: number, took: number, method: string, request: unknown) =>
      this.#add(now, sync, [at + after, took, "kubelet", `cri.${method}`], {
        object,
        node,
        details: { method, by: "function call", request },
      });
    call(8, 11, "RunPodSandbox", { config: { metadata: { name: object.name } } });
    call(20, 4, "PullImage", { image: { image: container } });
    call(26, 9, "CreateContainer", { config: { metadata: { name: container } } });
    call(38, 5, "StartContainer", {});
    this.#add(now, sync, [at + 44, 0, "kubelet", "kubelet.event"], {
      object,
      node,
      details: { type: "Normal", reason: "Started", message: `Started container ${container}` },
    });
    const status = { ...object, subresource: "status" };
    this.#request(now, sync, at + 52, `system:node:${node}`, "client certificate", status, "patch");
  }

  #next(): number {
    return ++this.#last;
  }

  #add(now: number, cause: number, told: Told, more: More = {}, id = this.#next()): number {
    const [at, took, component, kind] = told;
    const step: TraceStep = {
      id,
      at: now + at,
      component,
      kind,
      chapter: KINDS[kind]?.[0] ?? "",
      ...(took === 0 ? {} : { took }),
      ...(cause === 0 ? {} : { cause }),
      ...more,
    };
    if (kind === "kubectl.command") {
      step.details = { ...(step.details as object), session: this.session };
    }
    this.#tell({ step });
    return id;
  }

  #tell(line: TraceLine): void {
    this.#lines.push(line);
    for (const listener of this.#listeners) listener(line);
  }
}

function objectSent({ name = "", resource = "" }: TraceObject) {
  const kind = resource.replace(/s$/, "");
  return {
    apiVersion: "apps/v1",
    kind: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
    metadata: { name, labels: { "app.kubernetes.io/name": name } },
    spec: { replicas: 3, template: { spec: { containers: [{ name: "nginx", image: "nginx" }] } } },
  };
}

function objectOf(group: string, resource: string, name: string): TraceObject {
  return { group, version: "v1", resource, namespace: "default", name };
}

function serviceAccount(controller: string): string {
  return `system:serviceaccount:kube-system:${controller}-controller`;
}
