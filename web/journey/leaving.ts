import type { TraceStep } from "../rpc/protocol.ts";
import { textOf } from "../trace/words.ts";

/*
 * The pods that a command takes away, and stood in their nodes when it began: where each was is told by
 * what its kubelet did with it.
 */

export interface Leaving {
  /** Empty if no step says it. */
  readonly node: string;
  /** The steps that marked it as being deleted. */
  readonly ending: ReadonlySet<number>;
  /** The step that took it out of the store. */
  readonly gone: number | undefined;
}

/** Each as "namespace/name"; those that the command has placed itself are none. */
export function leaving(steps: readonly TraceStep[]): ReadonlyMap<string, Leaving> {
  // Most commands take nothing away, and have very many steps.
  if (!steps.some(takesAway)) return new Map();
  const found = new Map<string, { node: string; ending: Set<number>; gone: number | undefined }>();
  const placed = new Map<string, TraceStep>();
  const nodes = new Map<string, string>();
  const deletes = new Set<number>();
  for (const step of steps) {
    const { id, kind, details, cause = 0, node = "" } = step;
    if (kind === "apiserver.request" && isDelete(step)) deletes.add(id);
    const pod = podOf(step);
    if (pod === "") continue;
    if (kind === "scheduler.bind" && !placed.has(pod)) placed.set(pod, step);
    if (node !== "" && !nodes.has(pod) && !placed.has(pod)) nodes.set(pod, node);
    const takes = kind === "etcd.delete" || (kind === "etcd.put" && deletes.has(cause));
    if (!takes || textOf(details, "succeeded") === "false") continue;
    const known = found.get(pod);
    if (known?.gone !== undefined || (!known && placed.has(pod))) continue;
    const one = known ?? { node: "", ending: new Set(), gone: undefined };
    found.set(pod, one);
    if (kind === "etcd.delete") one.gone = id;
    else one.ending.add(id);
  }
  for (const [pod, one] of found) {
    one.node = nodes.get(pod) ?? "";
    // One that is still there, nobody knows where by the steps, stands where it is listed.
    if (one.node === "" && one.gone === undefined) found.delete(pod);
  }
  return found;
}

const takesAway = (step: TraceStep) =>
  step.kind === "etcd.delete" || (step.kind === "apiserver.request" && isDelete(step));

function isDelete({ object, details }: TraceStep): boolean {
  return textOf(details, "verb").startsWith("delete") || object?.subresource === "eviction";
}

/** The pod that a step is about, as "namespace/name"; empty if it is about none. */
export function podOf({ kind, object, details }: TraceStep): string {
  if (object?.name && object.resource === "pods") return `${object.namespace ?? ""}/${object.name}`;
  // Of many that are deleted at once only the key names each.
  if (!kind.startsWith("etcd.")) return "";
  const [, , resource, namespace = "", name = ""] = textOf(details, "key").split("/");
  return resource === "pods" && name !== "" ? `${namespace}/${name}` : "";
}
