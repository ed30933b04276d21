import type { NodesParams, NodesResult } from "../rpc/protocol.ts";
import type { Event, KubeObject, Node, Pod, Row } from "../kube/types.ts";

export type Kind =
  | "pods"
  | "nodes"
  | "events"
  | "namespaces"
  | "configmaps"
  | "services"
  | "endpointslices"
  | "ingresses"
  | "deployments";

const KINDS: Record<Kind, string> = {
  pods: "Pod",
  nodes: "Node",
  events: "Event",
  namespaces: "Namespace",
  configmaps: "ConfigMap",
  services: "Service",
  endpointslices: "EndpointSlice",
  ingresses: "Ingress",
  deployments: "Deployment",
};
type Listener = (type: "ADDED" | "MODIFIED" | "DELETED", kind: Kind, row: Row<KubeObject>) => void;

/** Objects with the cells of their tables, and pods that walk through their states on timers. */
export class FakeCluster {
  readonly rows: Record<Kind, Map<string, Row<KubeObject>>> = {
    pods: new Map(),
    nodes: new Map(),
    events: new Map(),
    namespaces: new Map(),
    configmaps: new Map(),
    services: new Map(),
    endpointslices: new Map(),
    ingresses: new Map(),
    deployments: new Map(),
  };
  readonly listeners = new Set<Listener>();
  /** All that has happened: a watch begins where its list has ended. */
  readonly history: { version: number; what: Parameters<Listener> }[] = [];
  /** When stopped nodes have renewed their leases last, by name. */
  readonly renewals = new Map<string, string>();
  version = 1;
  #names = 0;

  put(kind: Kind, object: KubeObject, cells: Record<string, string>): void {
    const { uid } = object.metadata;
    const type = this.rows[kind].has(uid) ? "MODIFIED" : "ADDED";
    object.metadata.resourceVersion = String(++this.version);
    const whole = { apiVersion: "v1", kind: KINDS[kind], ...object };
    const row = { object: structuredClone(whole), cells };
    this.rows[kind].set(uid, row);
    this.#tell(type, kind, row);
  }

  delete(kind: Kind, uid: string): void {
    const row = this.rows[kind].get(uid);
    if (!row) return;
    this.rows[kind].delete(uid);
    row.object.metadata.resourceVersion = String(++this.version);
    this.#tell("DELETED", kind, row);
  }

  /**
   * What a test has written for a method to answer, as JSON in the ConfigMap "answers": what no object
   * of this cluster tells. Undefined for what the method says by itself.
   */
  told(method: string): unknown {
    const answers = [...this.rows.configmaps.values()].find(
      ({ object }) => object.metadata.name === "answers",
    )?.object as { data?: Record<string, string> } | undefined;
    const text = answers?.data?.[method];
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** Tells of what has happened since a version, and of what comes. */
  listen(since: number, listener: Listener): void {
    for (const { version, what } of this.history) if (version > since) listener(...what);
    this.listeners.add(listener);
  }

  #tell(...what: Parameters<Listener>): void {
    this.history.push({ version: this.version, what });
    for (const listener of this.listeners) listener(...what);
  }

  /** What is there before anything is created. */
  addNamespaces(...names: string[]): void {
    for (const name of names) {
      const metadata = { name, uid: `ns-${name}`, resourceVersion: "", creationTimestamp: now() };
      this.put("namespaces", { metadata }, { Name: name, Status: "Active", Age: "0s" });
      const ca = { ...metadata, name: "kube-root-ca.crt", namespace: name, uid: `ca-${name}` };
      this.put("configmaps", { metadata: ca }, { Name: ca.name, Data: "1", Age: "0s" });
    }
  }

  addNodes(count: number, asked = 0): void {
    const disk = asked === 0 ? 32 * 1024 : asked;
    const first = this.rows.nodes.size + 1;
    for (let i = first; i < first + count; i++) {
      const node: Node = {
        metadata: {
          name: `node-${i}`,
          uid: `node-${i}`,
          resourceVersion: "",
          creationTimestamp: now(),
        },
        spec: { podCIDR: `10.244.${i - 1}.0/24` },
        status: {
          conditions: [{ type: "Ready", status: "True" }],
          capacity: { cpu: "4", memory: "8Gi", pods: "110", "ephemeral-storage": `${disk}Mi` },
          addresses: [{ type: "InternalIP", address: `172.30.0.1${i}` }],
        },
      };
      this.put("nodes", node, { Name: node.metadata.name, Status: "Ready", Version: "v1.36.3" });
    }
  }

  /** In-tab nodes: stopped ones are NotReady at once. */
  manage({ action, name = "", disk }: NodesParams): NodesResult {
    const added = `node-${this.rows.nodes.size + 1}`;
    if (action === "add") this.addNodes(1, disk);
    if (action === "remove") this.delete("nodes", name);
    const row = this.rows.nodes.get(name);
    if (row && (action === "stop" || action === "shutdown" || action === "heal")) {
      const node = structuredClone(row.object) as Node;
      const up = action === "heal";
      // As if it had been cut off a minute ago: the controller finds out that late.
      if (!up) this.renewals.set(name, new Date(Date.now() - 65_000).toISOString());
      node.status.conditions = [
        { type: "Ready", status: up ? "True" : "Unknown", lastTransitionTime: now() },
      ];
      const key = "node.kubernetes.io/unreachable";
      const taints = up ? [] : [{ key, effect: "NoExecute", timeAdded: now() }];
      Object.assign(node.spec, { taints });
      this.put("nodes", node, { ...row.cells, Status: up ? "Ready" : "NotReady" });
    }
    const nodes = [...this.rows.nodes.values()].map(({ object, cells }) => ({
      name: object.metadata.name,
      state: cells.Status?.startsWith("Ready") ? ("running" as const) : ("stopped" as const),
    }));
    return { ...(action === "add" ? { name: added } : {}), nodes };
  }

  cordon(name: string, unschedulable: boolean): void {
    const row = this.rows.nodes.get(name);
    if (!row) return;
    const node = structuredClone(row.object) as Node;
    Object.assign(node.spec, { unschedulable });
    const Status = unschedulable ? "Ready,SchedulingDisabled" : "Ready";
    this.put("nodes", node, { ...row.cells, Status });
  }

  /** A pod that becomes Running, or stays in `fate`. */
  addPod(owner: string, fate = "Running"): { name: string; node: string } {
    const name = `${owner}-7d4f9c6b58-${suffix(this.#names++)}`;
    const pod: Pod = {
      metadata: {
        name,
        namespace: "default",
        uid: name,
        resourceVersion: "",
        creationTimestamp: now(),
        labels: { app: owner, "pod-template-hash": "7d4f9c6b58" },
        ownerReferences: [{ kind: "ReplicaSet", name: `${owner}-7d4f9c6b58`, controller: true }],
      },
      spec: {
        containers: [
          { name: owner, image: owner, resources: { requests: { cpu: "100m", memory: "64Mi" } } },
        ],
      },
      status: { phase: "Pending" },
    };
    // As the admission plugin of that name writes it, for both taints at once.
    Object.assign(pod.spec, {
      tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }],
    });
    const show = (status: string, ready = "0/1") =>
      this.put("pods", pod, { Name: name, Ready: ready, Status: status, Restarts: "0", Age: "0s" });
    show("Pending");
    if (fate === "Pending") {
      this.event(
        pod,
        "Warning",
        "FailedScheduling",
        "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
      );
      return { name, node: "" };
    }
    const node = `node-${(this.#names % this.rows.nodes.size) + 1}`;
    setTimeout(() => {
      pod.spec.nodeName = node;
      show("ContainerCreating");
      this.event(pod, "Normal", "Scheduled", `Successfully assigned default/${name} to ${node}`);
    }, 80);
    setTimeout(() => {
      if (fate !== "Running") {
        if (fate === BACKED_OFF) waits(pod);
        show(fate.replace(BACKED_OFF, "CrashLoopBackOff"));
        this.event(pod, "Warning", "Failed", `Error: ${fate}`);
        return;
      }
      pod.status.podIP = `10.244.0.${this.#names + 2}`;
      show("Running");
      this.event(pod, "Normal", "Started", `Started container ${owner}`);
    }, 300);
    if (fate !== "Running") return { name, node };
    setTimeout(() => {
      pod.status.conditions = [{ type: "Ready", status: "True" }];
      show("Running", "1/1");
    }, 450);
    return { name, node };
  }

  deletePod(name: string): boolean {
    const row = this.rows.pods.get(name);
    if (!row) return false;
    const pod = structuredClone(row.object);
    pod.metadata.deletionTimestamp = now();
    this.put("pods", pod, { ...row.cells, Status: "Terminating" });
    setTimeout(() => this.delete("pods", name), 500);
    return true;
  }

  event(about: Pod, type: string, reason: string, message: string): void {
    const name = `${about.metadata.name}.${this.version}`;
    const event: Event = {
      metadata: {
        name,
        namespace: "default",
        uid: name,
        resourceVersion: "",
        creationTimestamp: now(),
      },
      type,
      reason,
      message,
      lastTimestamp: now(),
      involvedObject: {
        apiVersion: "v1",
        kind: "Pod",
        name: about.metadata.name,
        namespace: "default",
      },
    };
    this.put("events", event, { "Last Seen": "0s", Type: type, Reason: reason, Message: message });
  }
}

/** The fate of a pod whose kubelet says how long it waits. */
export const BACKED_OFF = "back-off";

/** As a kubelet shows a container that has crashed for the third time. */
function waits(pod: Pod): void {
  const message = "back-off 40s restarting failed container";
  Object.assign(pod.status, {
    containerStatuses: [
      {
        name: pod.spec.containers[0]?.name,
        restartCount: 3,
        state: { waiting: { reason: "CrashLoopBackOff", message } },
        lastState: { terminated: { exitCode: 1, finishedAt: now() } },
      },
    ],
  });
}

function now(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

/** Five letters, the same in every run. */
function suffix(n: number): string {
  const letters = "bcdfghjklmnpqrstvwxz2456789";
  let seed = (n + 1) * 7919;
  return Array.from({ length: 5 }, () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return letters.charAt(seed % letters.length);
  }).join("");
}
