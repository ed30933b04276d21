import type { ApiPlace } from "../kube/apipath.ts";
import type { Slot } from "../kube/placement.ts";
import type { KubeObject, Pod, Row } from "../kube/types.ts";

/** What stands above pods, and where it is in the API. */
export const ABOVE = {
  deployments: { kind: "deployment", short: "deploy", group: "apps" },
  statefulsets: { kind: "statefulset", short: "sts", group: "apps" },
  daemonsets: { kind: "daemonset", short: "ds", group: "apps" },
  jobs: { kind: "job", short: "job", group: "batch" },
  services: { kind: "service", short: "svc", group: "" },
  replicasets: { kind: "replicaset", short: "rs", group: "apps" },
} as const;
export type AboveResource = keyof typeof ABOVE;
export const ABOVE_RESOURCES = Object.keys(ABOVE) as AboveResource[];

export type Lists = Readonly<Record<AboveResource, readonly KubeObject[]>>;

/** One of them, as it is drawn. */
export interface Thing {
  readonly uid: string;
  readonly resource: AboveResource;
  readonly name: string;
  readonly namespace: string;
  readonly place: ApiPlace;
  /** How many pods it wants, and has that are ready; undefined of a Service. */
  readonly wanted: number | undefined;
  readonly ready: number;
  /** Whose ReplicaSet it is. */
  readonly owner: string | undefined;
  /** A rollout's number. */
  readonly revision: string;
  readonly pods: readonly Slot[];
}

export interface Storeys {
  /** Services, and what people make that makes pods. */
  readonly tops: readonly Thing[];
  /** ReplicaSets that have pods or want some. */
  readonly sets: readonly Thing[];
  /** What is left out for there is too much, in both and of `tops` alone. */
  readonly more: number;
  readonly moreTops: number;
}

/** How much is drawn in a storey. */
const MOST = 40;
/** What the cluster has made itself is no news. */
const SYSTEM = "kube-";

/** What of these objects is read; whoever made them wrote it. */
interface Workload extends KubeObject {
  spec?: {
    replicas?: number;
    completions?: number;
    parallelism?: number;
    selector?: Record<string, unknown> | null;
  };
  status?: {
    readyReplicas?: number;
    numberReady?: number;
    desiredNumberScheduled?: number;
    succeeded?: number;
    ready?: number;
  };
}

export function storeysOf(lists: Lists, slots: Iterable<Slot>): Storeys {
  const owned = new Map<string, Slot[]>();
  for (const slot of slots) {
    const owner = controllerOf(slot.row.object);
    if (!owner || slot.leftAt !== undefined) continue;
    const those = owned.get(owner);
    if (those) those.push(slot);
    else owned.set(owner, [slot]);
  }
  const things = (resource: AboveResource) =>
    lists[resource]
      .filter(({ metadata }) => !metadata.namespace?.startsWith(SYSTEM))
      .filter(({ metadata }) => resource !== "services" || metadata.name !== "kubernetes")
      .map((object) => thingOf(resource, object, owned.get(object.metadata.uid) ?? []))
      .sort((a, b) => a.namespace.localeCompare(b.namespace) || a.name.localeCompare(b.name));
  const tops = ABOVE_RESOURCES.filter((one) => one !== "replicasets").flatMap(things);
  const sets = things("replicasets").filter(({ wanted, pods }) => wanted !== 0 || pods.length > 0);
  const moreTops = Math.max(0, tops.length - MOST);
  return {
    tops: tops.slice(0, MOST),
    sets: sets.slice(0, MOST),
    more: moreTops + Math.max(0, sets.length - MOST),
    moreTops,
  };
}

function thingOf(resource: AboveResource, object: KubeObject, pods: readonly Slot[]): Thing {
  const { metadata, spec = {}, status = {} } = object as Workload;
  const { name, namespace = "default", uid } = metadata;
  const { group } = ABOVE[resource];
  const wanted = {
    services: undefined,
    daemonsets: status.desiredNumberScheduled ?? 0,
    jobs: spec.completions ?? spec.parallelism ?? 1,
  }[resource as "services" | "daemonsets" | "jobs"];
  return {
    uid,
    resource,
    name,
    namespace,
    place: { group, version: "v1", resource, namespace, name },
    wanted: resource in { services: 0, daemonsets: 0, jobs: 0 } ? wanted : (spec.replicas ?? 1),
    ready: status.readyReplicas ?? status.numberReady ?? status.succeeded ?? 0,
    owner: controllerOf(object),
    revision: metadata.annotations?.["deployment.kubernetes.io/revision"] ?? "",
    pods,
  };
}

function controllerOf({ metadata }: KubeObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}

/**
 * The lines from a thing to what it made and what made it, and between Services and the pods that they select, as
 * pairs of uids, from above to below.
 */
export function linesOf(
  uid: string,
  lists: Lists,
  pods: Iterable<Row<Pod>>,
): readonly (readonly [string, string])[] {
  const lines: [string, string][] = [];
  const parent = new Map<string, string>();
  const all = [...pods].map(({ object }) => object);
  for (const object of [...lists.replicasets, ...all]) {
    const owner = controllerOf(object);
    if (owner) parent.set(object.metadata.uid, owner);
  }
  const from = lineage(uid, parent);
  // Everything that one of its ancestors, or itself, has made; of a pod only its own line.
  const isPod = all.some(({ metadata }) => metadata.uid === uid);
  const below = (one: string) => lineage(one, parent).includes(uid);
  for (const [child, owner] of parent) {
    const onWayUp = from.includes(child) && from.includes(owner);
    if (onWayUp || (!isPod && below(owner))) lines.push([owner, child]);
  }
  for (const service of lists.services) {
    const selected = all.filter((pod) => selects(service, pod));
    for (const { metadata } of selected) {
      // Of a workload they would be as many as its own, from elsewhere.
      if (service.metadata.uid === uid || metadata.uid === uid) {
        lines.push([service.metadata.uid, metadata.uid]);
      }
    }
  }
  return lines;
}

/** Itself, what made it, and so on. */
function lineage(uid: string, parent: ReadonlyMap<string, string>): string[] {
  const all = [uid];
  for (let at = parent.get(uid); at !== undefined && !all.includes(at); at = parent.get(at)) {
    all.push(at);
  }
  return all;
}

/** What made these pods, what made that, and the Services that select them, by uid. */
export function standingOver(slots: Iterable<Slot>, lists: Lists): ReadonlySet<string> {
  const parent = new Map<string, string>();
  for (const object of lists.replicasets) {
    const owner = controllerOf(object);
    if (owner) parent.set(object.metadata.uid, owner);
  }
  const found = new Set<string>();
  for (const { row } of slots) {
    const owner = controllerOf(row.object);
    if (owner) for (const uid of lineage(owner, parent)) found.add(uid);
    for (const service of lists.services) {
      if (selects(service, row.object)) found.add(service.metadata.uid);
    }
  }
  return found;
}

/** Those that a part of the map is about, which is a namespace or some pods. */
export function only(
  { tops, sets }: Storeys,
  about: { readonly namespace: string } | { readonly over: ReadonlySet<string> },
): Storeys {
  const here = (thing: Thing) =>
    "namespace" in about ? thing.namespace === about.namespace : about.over.has(thing.uid);
  return { tops: tops.filter(here), sets: sets.filter(here), more: 0, moreTops: 0 };
}

/** What stands above a crowd, whose pods have no names and are not joined with anything. */
export function upper({ tops, moreTops }: Storeys): Storeys {
  return { tops, sets: [], more: moreTops, moreTops };
}

/** What a column by owner stands for: its key is "deployment/web", or "shop/deployment/web". */
export function ownerOf(key: string, lists: Lists): Thing | undefined {
  const [name, kind, namespace = "default"] = key.split("/").reverse();
  const resource = ABOVE_RESOURCES.find((one) => ABOVE[one].kind === kind);
  const object =
    resource &&
    lists[resource].find(
      ({ metadata }) => metadata.name === name && (metadata.namespace ?? "default") === namespace,
    );
  return object && thingOf(resource, object, []);
}

function selects(service: KubeObject, pod: Pod): boolean {
  const wanted = Object.entries((service as Workload).spec?.selector ?? {});
  return (
    wanted.length > 0 &&
    service.metadata.namespace === pod.metadata.namespace &&
    wanted.every(([key, value]) => pod.metadata.labels?.[key] === value)
  );
}
