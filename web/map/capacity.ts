import type { Node, Pod, Row } from "../kube/types.ts";

/** What a node offers and what of it its pods have asked for: cores, bytes, pods. */
export interface Usage {
  cpu: { requested: number; of: number };
  memory: { requested: number; of: number };
  /** Of the node's own disk: what the API calls ephemeral storage. */
  disk: { requested: number; of: number };
  pods: { requested: number; of: number };
}

const SUFFIX: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A resource.Quantity as a number (k8s.io/apimachinery/pkg/api/resource); 0 for nonsense. */
export function quantity(text: string | undefined): number {
  const parts = /^([+-]?[\d.]+)(?:[eE]([+-]?\d+))?([numkMGTPE]?i?)$/.exec(text ?? "");
  if (!parts) return 0;
  const scale = SUFFIX[parts[3] ?? ""];
  if (scale === undefined) return 0;
  return Number(parts[1]) * 10 ** Number(parts[2] ?? 0) * scale;
}

/**
 * What a pod counts for on its node: the sum of its containers, or its largest init container if
 * that is more, as `kubectl describe node` counts (k8s.io/component-helpers/resource, PodRequests).
 */
function requestOf(pod: Pod, resource: Resource): number {
  let asked = requests.get(pod);
  if (!asked) {
    asked = {
      cpu: count(pod, "cpu"),
      memory: count(pod, "memory"),
      "ephemeral-storage": count(pod, "ephemeral-storage"),
    };
    requests.set(pod, asked);
  }
  return asked[resource];
}

/** An object of the API is never changed by the page, so this is counted once. */
const requests = new WeakMap<Pod, Record<Resource, number>>();

type Resource = "cpu" | "memory" | "ephemeral-storage";

function count({ spec }: Pod, resource: Resource): number {
  const of = (c: { resources?: { requests?: Record<string, string> } }) =>
    quantity(c.resources?.requests?.[resource]);
  const running = spec.containers.reduce((sum, c) => sum + of(c), 0);
  const starting = Math.max(0, ...(spec.initContainers ?? []).map(of));
  return Math.max(running, starting) + quantity(spec.overhead?.[resource]);
}

/** How full each node is, by name. Pods that have ended ask for nothing any more. */
export function usage(
  nodes: Iterable<Row<Node>>,
  pods: Iterable<Row<Pod>>,
): ReadonlyMap<string, Usage> {
  const by = new Map<string, Usage>();
  for (const { object } of nodes) {
    const offered = object.status.allocatable ?? object.status.capacity ?? {};
    by.set(object.metadata.name, {
      cpu: { requested: 0, of: quantity(offered.cpu) },
      memory: { requested: 0, of: quantity(offered.memory) },
      disk: { requested: 0, of: quantity(offered["ephemeral-storage"]) },
      pods: { requested: 0, of: quantity(offered.pods) },
    });
  }
  for (const { object } of pods) {
    const on = by.get(object.spec.nodeName ?? "");
    if (!on || object.status.phase === "Succeeded" || object.status.phase === "Failed") continue;
    on.cpu.requested += requestOf(object, "cpu");
    on.memory.requested += requestOf(object, "memory");
    on.disk.requested += requestOf(object, "ephemeral-storage");
    on.pods.requested++;
  }
  return by;
}

/** The part that is taken, from 0 to 1; the fullest of the three resources. */
export function fullness({ cpu, memory, pods }: Usage): number {
  const part = ({ requested, of }: { requested: number; of: number }) =>
    of > 0 ? requested / of : 0;
  return Math.min(1, Math.max(part(cpu), part(memory), part(pods)));
}

/** Bytes as kubectl's users write them. */
export function bytes(n: number): string {
  for (const [unit, size] of [
    ["Gi", 2 ** 30],
    ["Mi", 2 ** 20],
    ["Ki", 2 ** 10],
  ] as const) {
    if (n >= size) return `${trim(n / size)}${unit}`;
  }
  return String(n);
}

/** At most one digit after the point. */
export function trim(n: number): string {
  return String(Math.round(n * 10) / 10);
}
