import { amongBest } from "../kube/chance.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import { controllerOf } from "./actor.ts";
import { admitted, plugins } from "./admitted.ts";
import { batched } from "./batched.ts";
import { firstLook, heard, looked } from "./caches.ts";
import { count } from "./count.ts";
import { Details, textOf } from "./details.ts";
import { objectName, oneObject } from "./object-words.ts";
import { reported } from "./reported.ts";

export { byChance } from "../kube/chance.ts";
export { actorOf, controllerOf } from "./actor.ts";
export { textOf } from "./details.ts";
export { objectName } from "./object-words.ts";

/*
 * What a step says in a sentence, and in a figure of a few words, of its details in brief (trace.Briefer
 * in core/trace). They are a stranger's: whatever is not there, or is no text, is left out.
 */

/** What happened, in a line: "put /registry/deployments/default/nginx at revision 812". */
export function sentence(step: TraceStep): string {
  const isRequest = step.kind.endsWith(".request");
  const object = isRequest ? objectName(step.object) : oneObject(step.object);
  const special = SENTENCES[step.kind]?.(new Details(step.details), step, object);
  if (special !== undefined && special !== "") return special;
  return [actOf(step.kind), object, step.node ? `on ${step.node}` : ""].filter(Boolean).join(" ");
}

/** A few words that stand beside a claim: who, which, how many. Empty if there is nothing to say. */
export function figure(step: TraceStep): string {
  return FIGURES[step.kind]?.(new Details(step.details), step) ?? step.node ?? "";
}

/** Milliseconds for people: "0.3 ms", "12 ms", "1.24 s". */
export function took(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return "";
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(2)} s`;
}

/** What a kind's name says of what was done: "cri.RunPodSandbox" is "RunPodSandbox". */
function actOf(kind: string): string {
  return kind.slice(kind.indexOf(".") + 1);
}

/** Who refused and why, after what was said: empty if nobody says so. */
export function because(reason: string): string {
  return reason === "" ? "" : `; ${reason}`;
}

type Say = (details: Details, step: TraceStep, object: string) => string;

const requested: Say = (d, _step, object) =>
  [
    (d.text("method") || (METHODS[d.text("verb")] ?? d.text("verb"))).toUpperCase(),
    object || d.text("path"),
    d.text("code"),
  ]
    .filter(Boolean)
    .join(" ");

/** HTTP's word for the API's verb. */
const METHODS: Readonly<Record<string, string>> = {
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
  get: "GET",
  list: "GET",
  watch: "GET",
};

/** The authenticator of callers that are known by where they call from (core/apiserver/caller.go). */
const INSIDE = "in-process caller";

/** The garbage collector's queue of what it has heard of (pkg/controller/garbagecollector, graph_builder.go). */
const GRAPH = "garbage_collector_graph_changes";

/** Who allowed it: "by the Node authorizer"; a group is no authorizer's name. */
function authorizer(name: string): string {
  if (name === "" || name.includes(" ")) return name && `, by ${name}`;
  return `, by the ${name} authorizer`;
}

/** What came of a request of a login. */
function answered(d: Details): string {
  const said = [d.text("code"), d.text("outcome"), d.text("error")].filter(Boolean).join(" ");
  return `: ${[d.text("method"), d.text("url"), said].filter(Boolean).join(" ")}`;
}

const SENTENCES: Readonly<Record<string, Say>> = {
  "kubectl.command": (d) => d.text("line"),
  "kubectl.request": requested,
  "apiserver.request": requested,
  "authentication.accepted": (d) =>
    textOf(d.list("asked").at(-1), "name") === INSIDE
      ? `accepted ${d.text("user")} without credentials: in this tab alone it calls from within the server's own process`
      : `accepted ${d.text("user")}${by(d.list("asked").at(-1), "name")}`,
  "authentication.refused": (d) =>
    `nobody accepted the credentials: 401${because(d.text("reason"))}`,
  "authorization.allowed": (d) =>
    `allowed ${d.text("user")} to ${d.text("verb")}${authorizer(textOf(d.list("asked").at(-1), "name"))}`,
  "authorization.forbidden": (d, _step, object) =>
    `forbidden: user ${d.text("user")} may not ${[d.text("verb"), object].filter(Boolean).join(" ")}`,
  "admission.mutating": (d, { cut }) => admitted(d, "may change it", "changed", cut),
  "admission.validating": (d) => admitted(d, "may refuse it", "refused", undefined),
  "admission.refused": (d) => `${d.text("plugin")} refused: ${d.text("message")}`,
  "etcd.put": (d) => written(d, "put"),
  "etcd.delete": (d) => written(d, "deleted"),
  "etcd.watched": (d) => `told the watch of ${d.text("watch")}: revision ${d.text("revision")}`,
  "kubectl.discovery": (d) =>
    undiscovered(
      d,
      "did not ask what resources the server has: it knows this one's path",
      "read what resources the server has from files that it kept",
    ) || `GET ${d.text("path")} ${d.text("code")}`,
  "kubectl.config": (d) => {
    const files = d.list("files").map(String).join(", ");
    const as = [d.text("user"), d.text("credentials") && `(${d.text("credentials")})`];
    const asks = `the server is ${d.text("server")}, which it asks as ${as.filter(Boolean).join(" ")}`;
    return [
      `${files && `reads ${files}: `}${asks}`,
      d.text("context") && `by the context ${d.text("context")}`,
    ]
      .filter(Boolean)
      .join(", ");
  },
  "kubectl.credentials": (d) =>
    d.text("error")
      ? `${d.text("program")} gave no credentials: ${d.text("error")}`
      : `${d.text("program")} gave a ${d.text("gave")}${d.text("expires") && `, good until ${d.text("expires")}`}`,
  "login.discovery": (d) => `asked the issuer for its endpoints${answered(d)}`,
  "login.authorization": (d, { variant = "" }) =>
    variant === "code"
      ? `sent the person to ${d.text("url")}, who brings back a code`
      : `asked for a code that a person types at the issuer${answered(d)}`,
  "login.token": (d) => `asked for a token, by ${d.text("grant")}${answered(d)}`,
  "login.keys": (d) => `asked for the keys that sign the issuer's tokens${answered(d)}`,
  "kubectl.object": (d) =>
    `made ${d.text("kind")} ${d.text("name")} of ${d.text("apiVersion")}${checked(d)}`.replaceAll(
      "  ",
      " ",
    ),
  "kubectl.patch": (d) => `made a ${patchType(d)} of ${d.text("of")} ${d.text("name")}`,
  "apiserver.handler": handled,
  "apiserver.decoded": (d, { variant = "" }, object) =>
    variant === "patch"
      ? `applied ${d.text("bytes")} bytes of patch to ${object}${managed(d)}`
      : `made an object of the ${d.text("bytes")} bytes that were sent, and filled in defaults where fields had none${managed(d)}`,
  "registry.created": (_d, _step, object) => `prepared and validated ${object}`,
  "registry.updated": (_d, _step, object) => `prepared and validated the change of ${object}`,
  "registry.stored": (d) => {
    const hooks = d.list("hooks").join(", ");
    return `registry: ${d.text("key")}, ${hooks ? `with its own ${hooks}` : "no hooks of its own"}`;
  },
  "validation.refused": (d) => `not valid: ${invalid(d)}`,
  "registry.exists": (d) => `${d.text("key")} is there already, and is read to say so`,
  "initializers.waited": (d) => {
    const names = d.list("pending").map((p) => new Details(p).text("name"));
    return `stored, and waited for ${names.join(", then ")}: ${d.text("outcome")}`;
  },
  "controllers.adopted": (d) => claimed(d, "adopted"),
  "controllers.released": (d) => claimed(d, "released"),
  "apiserver.audit": (d) =>
    d.text("policy") === "true"
      ? `audit ${d.text("auditID")}: level ${d.text("level")}`
      : `gave the request the ID ${d.text("auditID")}; no audit policy is set, so that nothing of it is recorded`,
  "controllers.read": (_d, { details }) => looked(details),
  "controllers.batch": (d) => batched((key) => d.text(key)),
  "kubectl.refused": (d) => `refused by kubectl, which asked nobody: ${d.text("message")}`,
  "kubectl.exit": (d) =>
    ["kubectl ended", d.text("code") && `exit code ${d.text("code")}`].filter(Boolean).join(", "),
  "controllers.informed": (d) =>
    `an informer heard of ${heard(d.text("event"), d.text("type"))}, keeps its copy, and told ${handlers(d) || "its handlers"}`,
  "controllers.reconcile": (d, { component, details }) => {
    const controller = controllerOf(details);
    // It has asked for that itself: something is left to be done, or its time has come.
    const again = d.text("again") === "true" ? ", again" : "";
    // Its item is a struct of its own, which has no name.
    const does =
      d.text("queue") === GRAPH
        ? "works a change into its graph of owners"
        : `takes ${d.text("item")} from its queue`;
    if (controller !== "") return `the ${controller} controller ${does}${again}`;
    // Some of upstream's queues have no name, nor do items that are structs of their own.
    return `a worker of ${component} took ${d.text("item")}, of a queue without a name`;
  },
  "kubelet.pod": (d, { node }, object) =>
    `${node ?? "the kubelet"} ${d.text("operation") === "ADD" ? "has a new pod" : `heard of a change (${d.text("operation")})`}: ${object}`,
  "kubelet.podUpdate": (d, { node }, object) =>
    `${node ?? "the kubelet"} heard of a change (${d.text("operation")}): ${object}`,
  "kubelet.admission": (d, { node }, object) =>
    d.text("admitted") === "true"
      ? `${node ?? "the kubelet"} takes ${object}`
      : `${node ?? "the kubelet"} refused ${object}: ${[d.text("reason"), d.text("message")].filter(Boolean).join(", ")}`,
  "kubelet.syncPod": (d, { node }, object) =>
    `compared ${object} with what runs on ${node ?? "its node"} (${d.text("updateType")})${failed(d)}`,
  "kubelet.syncTerminatingPod": (d, { node }, object) =>
    `${node ?? "the kubelet"} stops ${object}${failed(d)}`,
  "kubelet.syncTerminatedPod": (d, { node }, object) =>
    `${node ?? "the kubelet"} puts away what is left of ${object}${failed(d)}`,
  "kubelet.status": (d, { node }, object) =>
    `${node ?? "the kubelet"} reports ${object}: ${reported(d.text("phase"), d.list("conditions"), d.list("containers"))}`,
  "cni.network": (d, { node }, object) =>
    [`gave ${object}`, d.list("ips").join(", ") || "its network", node && `on ${node}`]
      .filter(Boolean)
      .join(" "),
  "cni.plugin": plugged,
  "cri.pause": (_d, { node }, object) =>
    [`pause, the first process of ${object || "a pod"}, holds its namespaces`, node && `on ${node}`]
      .filter(Boolean)
      .join(" "),
  "cri.RunPodSandbox": (_d, step, object) => called("made the sandbox of", step, object),
  "cri.PullImage": (_d, step, object) => called("has the image for", step, object),
  "cri.CreateContainer": (d, step, object) =>
    called(`made the container ${d.text("container")} of`, step, object),
  "cri.StartContainer": (_d, step, object) => called("started a container of", step, object),
  "cri.StopPodSandbox": (_d, step, object) => called("stopped the sandbox of", step, object),
  "cri.RemovePodSandbox": (_d, step, object) => called("removed the sandbox of", step, object),
  "cri.PodSandboxStatus": (_d, step, object) => called("looked at the sandbox of", step, object),
  "cri.StopContainer": (_d, step, object) => called("stopped a container of", step, object),
  "cri.RemoveContainer": (_d, step, object) => called("removed a container of", step, object),
  "cri.ContainerStatus": (_d, step, object) => called("looked at a container of", step, object),
  "cri.UpdateContainerResources": (_d, step, object) =>
    called("changed what a container may use, of", step, object),
  "cri.ExecSync": (_d, step, object) => called("ran a command of a probe or hook in", step, object),
  "cri.Exec": (_d, step, object) => called("opened a command in", step, object),
  "cri.Attach": (_d, step, object) => called("attached to a container of", step, object),
  "cri.PortForward": (_d, step, object) => called("forwarded a port of", step, object),
  "cri.ImageStatus": (_d, step, object) => called("looked for the image of", step, object),
  "cri.RemoveImage": (_d, step, object) =>
    called("removed an image of", step, object || "the node"),
  "cri.UpdateRuntimeConfig": (_d, step, object) =>
    called("said which addresses pods get", step, object || "of the node"),
  "kubelet.event": (d) => `${d.text("reason")}: ${d.text("message")}`,
  "kubelet.volume": (d, { node }) =>
    [`mounted ${d.text("volume")}`, d.text("from") && `(${d.text("from")})`, node && `on ${node}`]
      .filter(Boolean)
      .join(" "),
  "kubelet.logs": (d, { node }, object) =>
    `${node ?? "the kubelet"} reads the log of ${d.text("container")} in ${object}, and sends it`,
  "kubelet.probe": (d) =>
    `${d.text("probe").toLowerCase()} probe of ${d.text("container")} succeeded${d.text("by") && ` (${d.text("by")})`}`,
  "kubelet.hook": (d) => {
    const did =
      d.text("by") === "sleep"
        ? `slept ${d.text("seconds")} s`
        : `asked port ${d.text("port")} by ${d.text("by")}`;
    return `${d.text("hook")} hook of ${d.text("container")} ${did}`;
  },
  "network.service": led,
  "network.endpoints": led,
  "node.missed": (d, { node }) => `${node ?? "a node"} could not tell ${d.text("steps")} steps`,
  "node.refused": (d, { node }) => `${node ?? "a node"} is not believed: ${d.text("why")}`,
  "node.cutOff": (d, { node }) => `${node ?? "a node"} is cut off: ${d.text("why")}`,
  "network.ways": (d, { node = "" }) => `${node} has pods in ${d.text("pods")}`,
  "scheduler.queued": (d, _step, object) =>
    `put ${object} into the ${d.text("queue")} queue`.replace("  ", " "),
  "scheduler.moved": (d, _step, object) => {
    const by = [d.text("why"), d.text("object") && `of ${d.text("object")}`].filter(Boolean);
    return `moved ${object} to the ${d.text("queue")} queue, by ${by.join(" ")}`;
  },
  "scheduler.requeued": (d, _step, object) =>
    `put ${object} back, into the ${d.text("queue")} queue`,
  "scheduler.postfilter": (d, _step, object) =>
    d.text("node")
      ? `pods of less priority leave ${d.text("node")} for ${object}`
      : `no pod's leaving helps ${object}${d.text("message") && `: ${d.text("message")}`}`,
  "scheduler.unreserve": (d, _step, object) =>
    `gave back the room on ${d.text("node")} for ${object}`,
  "scheduler.prefilter": (_d, _step, object) =>
    `looked at ${object} once for all nodes, before each of them`,
  "scheduler.reserve": (d, _step, object) =>
    decided(d, "reserve", `reserved room on ${d.text("node")} for ${object}`),
  "scheduler.permit": (d, _step, object) =>
    decided(d, "permit", `nothing has ${object} wait: it may be bound to ${d.text("node")}`),
  "scheduler.prebind": (d, _step, object) =>
    decided(
      d,
      "prebind",
      `prepared on ${d.text("node")} what ${object} needs there, such as volumes`,
    ),
  "scheduler.bind": (d, _step, object) =>
    decided(d, "bind", `bound ${object} to ${d.text("node")}`),
  "scheduler.attempt": (d, _step, object) =>
    d.text("node") ? `${object} → ${d.text("node")}` : `${object}: ${d.text("message")}`,
  "scheduler.filter": (d) =>
    `${d.text("feasible")} of ${d.text("of")} nodes pass ${d.text("filters")} filters`,
  "scheduler.score": (d) =>
    `best: ${d.text("chosen")}${amongBest(d.list("nodes").map((row) => textOf(row, "total")))}`,
};

const FIGURES: Readonly<Record<string, (details: Details, step: TraceStep) => string>> = {
  "kubectl.command": () => "",
  "kubectl.discovery": (d) => undiscovered(d, "none needed", "from files") || d.text("path"),
  "kubectl.config": (d) => d.text("credentials"),
  "kubectl.credentials": (d) => d.text("gave") || "none",
  "login.discovery": (d) => d.text("code"),
  "login.authorization": (d) => d.text("code"),
  "login.token": (d) => d.text("outcome") || d.text("grant"),
  "login.keys": (d) => d.text("code"),
  "kubectl.object": (d) => `${d.text("kind")} ${d.text("name")}`,
  "kubectl.patch": (d) => `${d.text("of")} ${d.text("name")}`,
  "apiserver.handler": (d) => [d.text("handler"), readFrom(d)].filter(Boolean).join(", from "),
  "apiserver.decoded": (d) => new Details(d.list("managers")[0]).text("name"),
  "registry.stored": (d) => d.list("hooks").join(", ") || "no hooks of its own",
  "validation.refused": (d) => new Details(d.list("fields")[0]).text("field"),
  "registry.exists": () => "already exists",
  "initializers.waited": (d) => d.text("outcome"),
  "controllers.adopted": (d) => d.text("name"),
  "controllers.released": (d) => d.text("name"),
  "apiserver.audit": (d) => (d.text("policy") === "true" ? d.text("level") : "not recorded"),
  "controllers.read": (_d, { details }) => firstLook(details),
  "controllers.batch": (d) => `${d.text("size")} of ${count(Number(d.text("remaining")), "pod")}`,
  "controllers.reconcile": (d) => d.text("item"),
  "controllers.informed": (d) =>
    [d.text("event") && `event ${d.text("event")}`, handlers(d)].filter(Boolean).join(", "),
  "kubectl.request": (d) => answer(d),
  "apiserver.request": (d) =>
    [answer(d), d.text("priorityLevel") && `level ${d.text("priorityLevel")}`, queued(d)]
      .filter(Boolean)
      .join(", "),
  "authentication.accepted": (d) => d.text("user"),
  "authorization.allowed": (d) => new Details(d.list("asked").at(-1)).text("name"),
  "admission.mutating": plugins,
  "admission.validating": plugins,
  "admission.refused": (d) => d.text("plugin"),
  "etcd.put": (d) => revision(d),
  "etcd.delete": (d) => revision(d),
  "etcd.watched": (d) => d.text("watch"),
  "scheduler.filter": (d) => `${d.text("feasible")} of ${d.text("of")} nodes`,
  "scheduler.score": (d) => d.text("chosen"),
  "scheduler.attempt": (d) => d.text("node"),
  "scheduler.bind": (d) => d.text("node"),
};

/** "answer 201"; empty as long as there is none. */
function answer(d: Details): string {
  return d.text("code") && `answer ${d.text("code")}`;
}

/** What is said of discovery where nothing was asked; empty if something was. */
function undiscovered(d: Details, unneeded: string, cached: string): string {
  if (d.text("cached") === "true") return cached;
  return d.text("unneeded") === "true" ? unneeded : "";
}

/** How many fields a sentence names. */
const FIELDS = 3;

/** "metadata.name (invalid), spec.selector (required)". What a field holds is not told. */
function invalid(d: Details): string {
  const fields = d.list("fields").map((field) => new Details(field));
  const named = fields
    .slice(0, FIELDS)
    .map((field) => `${field.text("field")} (${fault(field.text("type"))})`);
  const more = fields.length - named.length + Number(d.text("more"));
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** The type of a field's error, as upstream's field.ErrorType has it: "FieldValueNotSupported". */
function fault(type: string): string {
  const words = type.replace(/^FieldValue/, "").replace(/([a-z])([A-Z])/g, "$1 $2");
  return words.toLowerCase() || "wrong";
}

/** Who was asked to look for fields that there are not, if it goes anywhere. */
function checked(d: Details): string {
  if (d.text("dryRun") === "client") return ", and prints it only: a dry run sends it to nobody";
  const by = d.text("validated");
  if (by === "") return "";
  return by.startsWith("the server")
    ? `; ${by.endsWith(", Strict") ? "the server is to check its fields (Strict: it refuses those that it does not know)" : `its fields are to be checked by ${by}`}`
    : "; no check of its fields is asked for, so that the server warns of those that it does not know";
}

/** What a call of the runtime came to, by its own name: "StartContainer: the runtime started a container of …". */
function called(what: string, { kind, details, node }: TraceStep, object: string): string {
  const error = textOf(details, "error");
  const where = [object || "a pod", node && `on ${node}`].filter(Boolean).join(" ");
  return error
    ? `${actOf(kind)} failed for ${where}: ${error}`
    : `${actOf(kind)}: the runtime ${what} ${where}`;
}

/** What a sync ended with, if it failed. */
function failed(d: Details): string {
  return d.text("error") && `: ${d.text("error")}`;
}

/** What a CNI plugin did: "bridge ADD: gave pod default/p on node-1 10.244.0.2/24". */
function plugged(d: Details, { node }: TraceStep, object: string): string {
  const where = [object || "a pod", node && `on ${node}`].filter(Boolean).join(" ");
  const call = [d.text("plugin"), d.text("command")].filter(Boolean).join(" ");
  if (d.text("error")) return `${call} failed for ${where}: ${d.text("error")}`;
  if (d.text("idle") === "true") return `${call} was not called: ${where} wants nothing of it`;
  const ips = d.list("ips").join(", ");
  return ips ? `${call}: gave ${where} ${ips}` : `${call} for ${where}`;
}

/** Where a node's data path leads a Service: "node-1 leads default/web, 10.96.7.1:80, to 3 endpoints". */
function led(d: Details, { node }: TraceStep): string {
  const [first] = d.list("ports");
  const who = node ?? "the node";
  if (first === undefined) return `${who} leads ${d.text("service")} nowhere`;
  const port = new Details(first);
  const many = port.list("endpoints").length + Number(port.text("moreEndpoints"));
  return `${who} leads ${d.text("service")}, ${port.text("address")}, to ${count(many, "endpoint")}`;
}

/** What the scheduler did, or that one of its plugins did not let it. */
function decided(d: Details, point: string, done: string): string {
  const code = d.text("code");
  return code === "" || code === "Success" || code === "Skip" ? done : `${point}: ${code}`;
}

/** "strategic merge patch", of the type that is sent. */
function patchType(d: Details): string {
  const type = (d.text("type").split("+")[0] ?? "").replaceAll("-", " ");
  return type.replace(/^json /, "JSON ") || "patch";
}

/** As whose fields are noted: managedFields give what the server filled in to who sent the object. */
function managed(d: Details): string {
  const manager = new Details(d.list("managers")[0]);
  const name = manager.text("name");
  if (!name) return "";
  const fields = manager.text("fields");
  return fields === "1"
    ? `; ${name} is noted as who set 1 field`
    : `; ${name} is noted as who set ${fields} fields`;
}

/** To whom an informer hands an event on; empty if it does not say. */
function handlers(d: Details): string {
  return d.text("listeners") && count(Number(d.text("listeners")), "handler");
}

/** Who serves a request, and where who reads has the answer from. */
function handled(d: Details, { object }: TraceStep): string {
  const handler = `the ${d.text("handler")} handler of ${d.text("resource") || "a subresource"}`;
  const from = readFrom(d);
  if (!from) return `routed to ${handler}`;
  // The server passes on what the kubelet answers (k8s.io/kubernetes/pkg/registry/core/pod/rest, log.go).
  if (object?.resource === "pods" && object.subresource === "log")
    return `${handler} read the pod from ${from}: its log comes from the kubelet of its node`;
  const items = d.text("items");
  return `answered by ${handler}, from ${from}${items && `: ${count(Number(items), "object")}`}`;
}

/** "the watch cache" or "etcd"; empty of who writes. */
function readFrom(d: Details): string {
  const from = d.text("from");
  return from === "watch cache" ? `the ${from}` : from;
}

/** How long a request stood in priority and fairness' queue; empty if it was let through, as most are. */
function queued(d: Details): string {
  const waited = took(Number(d.text("waited")));
  return waited === took(0) ? "" : `waited ${waited}`;
}

/** "put KEY at revision 7", or that somebody was faster. */
function written(d: Details, what: string): string {
  return d.text("succeeded") === "false"
    ? `not ${what}: ${d.text("key")} ${d.text("previous") ? "has changed since" : "is there already"}`
    : `${what} ${d.text("key")} at revision ${d.text("revision")}`;
}

function revision(d: Details): string {
  if (d.text("succeeded") === "false") return "not written";
  return d.text("revision") && `revision ${d.text("revision")}`;
}

/** "v1.ReplicaSet web adopted v1.Pod stray". */
function claimed(d: Details, what: string): string {
  const claimant = d.inner("by");
  return `${claimant.text("type")} ${claimant.text("name")} ${what} ${d.text("type")} ${d.text("name")}`;
}

function by(value: unknown, key: string): string {
  const name = new Details(value).text(key);
  return name ? `, by ${name}` : "";
}
