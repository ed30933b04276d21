import type { TraceStep } from "../rpc/protocol.ts";
import { listOf } from "../trace/look.ts";
import { textOf } from "../trace/words.ts";

/*
 * What a step is for, of those that do not say so by themselves. The guide beside it has it at length; who goes from
 * step to step has it here, the first time.
 */

/** In a sentence; empty where the step speaks for itself, or where it was said before. */
export function whatFor(step: TraceStep, told: readonly TraceStep[]): string {
  const says = purpose(step);
  const first = says && told.find((one) => purpose(one) === says);
  return first === step ? says : "";
}

function purpose({ kind, details, object, component }: TraceStep): string {
  switch (kind) {
    case "kubelet.volume":
      return textOf(details, "volume").startsWith("kube-api-access-") ? ACCESS : "";
    case "authorization.allowed":
      return textOf(listOf(details, "asked").at(-1), "name") === "Node" ? NODE : "";
    case "admission.mutating":
      return listOf(details, "plugins").some(
        (one) => textOf(one, "name") === "ServiceAccount" && changed(one),
      )
        ? ACCOUNT
        : "";
    case "controllers.batch":
      return Number(textOf(details, "remaining")) > Number(textOf(details, "size")) ? FIRST : "";
    case "apiserver.request":
      return textOf(details, "verb") === "create" &&
        object?.resource === "replicasets" &&
        !object.subresource &&
        component === "kube-apiserver"
        ? SET
        : "";
    default:
      return PURPOSES.get(kind) ?? "";
  }
}

const changed = (plugin: unknown) =>
  listOf(plugin, "changed").length > 0 || textOf(plugin, "changed") === "true";

const ACCESS =
  "By it a container's programs can ask the API server: it has a token, the CA's certificate and the namespace. The ServiceAccount plugin put it into the pod.";
const NODE =
  "By this authorizer a kubelet may do what its own node and the pods on it need, and nothing of others'.";
const ACCOUNT =
  "ServiceAccount says as whom the pod's programs may ask the API server, and adds a volume with a token for it.";
const FIRST =
  "One first: if a pod is refused, by a quota say, so would be the others, and that is asked once and not many times.";
const SET =
  "A ReplicaSet is one version of the pods. A changed Deployment makes another, and goes over to it.";

const PURPOSES: ReadonlyMap<string, string> = new Map([
  [
    "registry.created",
    "The registry is the API server's code for this kind of object: it gives it a UID and a time, and refuses what is not valid.",
  ],
  [
    "etcd.watched",
    "The watch is the API server's own: it keeps what it hears, and passes it on to all who watch there.",
  ],
  [
    "controllers.informed",
    "An informer is a component's watch of one kind of object, with a copy of all there are. Its handlers are what controllers have it call.",
  ],
  [
    "scheduler.queued",
    "In the active queue are pods to look at now. One that fits nowhere waits in another until something changes.",
  ],
  ["scheduler.bind", "It has decided. What makes it so is the write, which it asks for next."],
  [
    "cri.RunPodSandbox",
    "A sandbox is what the pod's containers share. The network and the first process, which come next, are parts of it.",
  ],
  [
    "cri.pause",
    "It does nothing else. As long as it is there, the containers have one network and one host name, also while one of them starts anew.",
  ],
]);
