import type { TraceObject, TraceStep } from "../rpc/protocol.ts";
import type { Part } from "./happened.ts";
import { BY_THE_WAY, REQUEST, WRITE } from "./told.ts";
import { actorOf, textOf } from "./words.ts";

type ById = ReadonlyMap<number, TraceStep>;

/**
 * What controllers keep up to date of what is there: their changes say no more than what they follow. A ReplicaSet is
 * told of if it was scaled.
 */
const KEPT_UP: ReadonlySet<string> = new Set(["pods", "endpointslices", "replicasets"]);

/** Short words for what is often written, as `kubectl api-resources` has them. */
const SHORT: Readonly<Record<string, string>> = {
  replicasets: "rs",
  pods: "pod",
  nodes: "node",
  namespaces: "ns",
  deployments: "deploy",
  jobs: "job",
  endpointslices: "endpointslice",
  serviceaccounts: "sa",
  configmaps: "cm",
  persistentvolumes: "pv",
  persistentvolumeclaims: "pvc",
};

type Act = "made" | "scaled" | "changed" | "deleted";

interface Group {
  /** Who wrote is what the line leads to: that the server wrote it down is a step further. */
  readonly step: TraceStep;
  readonly who: string;
  readonly act: Act;
  readonly objects: TraceObject[];
}

/** What others wrote because of a command, the objects of one maker, kind and act together. */
export function wrote(steps: readonly TraceStep[], byId: ById): Part[] {
  const groups = new Map<string, Group>();
  const scaled = scalings(steps, byId);
  const gone = deletions(steps, byId);
  for (const step of steps) {
    const { object } = step;
    const act = gone.has(step.id) ? "deleted" : actOf(step, scaled);
    if (act === undefined || !object?.resource || BY_THE_WAY.has(object.resource)) continue;
    const work = maker(step, byId);
    // The kubelet's delete is the end of one that is told of, and so is all that it writes.
    if (!work || work.component === "kubelet") continue;
    const who = actorOf(work);
    if (who === "kubectl" || who === "") continue;
    const key = `${who} ${act} ${object.resource}`;
    const group = groups.get(key) ?? { step: work, who, act, objects: [] };
    groups.set(key, group);
    // One that is there is written more than once.
    for (const one of gone.get(step.id) ?? [object])
      if (act === "made" || !group.objects.some((known) => same(known, one)))
        group.objects.push(one);
  }
  return [...groups.values()].map(partOf);
}

function partOf({ step, who, act, objects }: Group): Part {
  const [first] = objects;
  const resource = SHORT[first?.resource ?? ""] ?? first?.resource ?? "";
  const many = `${objects.length} ${resource.replace(/s?$/, "s")}`;
  // A line has no more room than for one name; that pods are there now needs no word.
  const several = act === "made" ? many : `${many} ${act}`;
  const text = objects.length === 1 ? `${who} ${act} ${resource} ${first?.name ?? ""}` : several;
  return { text, step, failed: false, objects };
}

/** What a request did to an object; undefined of one that did nothing to it as a whole. */
function actOf(
  { kind, object, details, id }: TraceStep,
  scaled: ReadonlySet<number>,
): Act | undefined {
  if (kind !== "apiserver.request" || !object?.resource) return undefined;
  if (Number(textOf(details, "code")) >= 300) return undefined;
  const verb = textOf(details, "verb");
  const changes = verb === "update" || verb === "patch";
  if (changes && (object.subresource === "scale" || scaled.has(id))) return "scaled";
  if (object.subresource) return undefined;
  if (changes) return KEPT_UP.has(object.resource) ? undefined : "changed";
  if (verb === "delete") return "deleted";
  return verb === "create" ? "made" : undefined;
}

/**
 * What is deleted by a request that is not about it alone: all that there is of a kind in a namespace; or by a change, that
 * of the last finalizer of what was on its way out.
 */
function deletions(
  steps: readonly TraceStep[],
  byId: ById,
): ReadonlyMap<number, readonly TraceObject[]> {
  const found = new Map<number, TraceObject[]>();
  for (const { kind, object, details, cause = 0 } of steps) {
    if (!WRITE.test(kind)) continue;
    const request = byId.get(cause);
    if (request?.kind !== REQUEST || !object?.name || textOf(details, "succeeded") === "false")
      continue;
    const verb = textOf(request.details, "verb");
    const all = verb === "deletecollection";
    if (!all && (kind === "etcd.put" || verb === "delete")) continue;
    found.set(request.id, [...(found.get(request.id) ?? []), whole(object)]);
  }
  return found;
}

/** The changes of ReplicaSets that pods were made or deleted because of, each by the nearest above. */
export function scalings(steps: readonly TraceStep[], byId: ById): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { kind, object, details, cause } of steps) {
    if (kind !== "apiserver.request" || object?.resource !== "pods" || object.subresource) continue;
    if (!["create", "delete"].includes(textOf(details, "verb"))) continue;
    const change = above(cause, byId, ({ kind, object, details }) => {
      if (kind !== "apiserver.request" || object?.subresource) return false;
      const verb = textOf(details, "verb");
      return object?.resource === "replicasets" && (verb === "update" || verb === "patch");
    });
    if (change) found.add(change.id);
  }
  return found;
}

/** The work that a request is of: the nearest above it that is neither the server's nor the store's. */
function maker(step: TraceStep, byId: ById): TraceStep | undefined {
  return above(step.cause, byId, ({ component, kind }) => {
    const acts = component !== "kube-apiserver" && component !== "etcd";
    // A batch is part of the work that names the controller.
    return acts && kind !== "controllers.batch";
  });
}

/** The nearest step that is such a one, from a cause upwards. */
function above(
  from: number | undefined,
  byId: ById,
  is: (step: TraceStep) => boolean,
): TraceStep | undefined {
  for (let at = byId.get(from ?? 0); at; at = byId.get(at.cause ?? 0)) {
    if (is(at)) return at;
    // A cause began before what it caused: nothing can be above itself.
    if ((at.cause ?? 0) >= at.id) break;
  }
  return undefined;
}

function same(a: TraceObject, b: TraceObject): boolean {
  return a.name === b.name && a.namespace === b.namespace && a.resource === b.resource;
}

/** The object itself, of whichever part of it a step is. */
export function whole({ group, version, resource, namespace, name }: TraceObject): TraceObject {
  return {
    ...(group ? { group } : {}),
    ...(version ? { version } : {}),
    ...(resource ? { resource } : {}),
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
  };
}
