import type { TraceObject, TraceStep } from "../rpc/protocol.ts";
import type { TraceFeed } from "./feed.ts";
import { caused, turnsBack } from "./told.ts";
import { actorOf, because, sentence, textOf, took } from "./words.ts";

/** One part of what a command set off: words, and the step that they are about. */
export interface Part {
  readonly text: string;
  readonly step: TraceStep;
  readonly failed: boolean;
  /** The objects that it is about. */
  readonly objects: readonly TraceObject[];
}

/** What is written by the way, and is no part of the story. */
const BY_THE_WAY: ReadonlySet<string> = new Set(["events", "leases", "endpoints"]);

/**
 * What a command set off, in a line: its own request, who made what because of it, where pods went,
 * what started, and what was refused.
 */
export function happened(trace: Pick<TraceFeed, "tree">, command: TraceStep): Part[] {
  const steps = caused(trace, command.id);
  const byId = new Map(steps.map((step) => [step.id, step]));
  return [
    ...requests(steps),
    ...made(steps, byId),
    ...bound(steps),
    ...started(steps, command),
    ...refused(steps, byId),
  ].sort((a, b) => a.step.at - b.step.at || a.step.id - b.step.id);
}

/** The object itself, of whichever part of it a step is. */
function whole({ group, version, resource, namespace, name }: TraceObject): TraceObject {
  return {
    ...(group ? { group } : {}),
    ...(version ? { version } : {}),
    ...(resource ? { resource } : {}),
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
  };
}

/** The object that a request of kubectl's was about: the server knows its name. */
function asked(request: TraceStep, steps: readonly TraceStep[]): TraceObject[] {
  const { object } =
    steps.find(({ kind, cause }) => kind === "apiserver.request" && cause === request.id) ??
    request;
  return object?.name ? [whole(object)] : [];
}

/** What kubectl asked for, requests that are alike and ended alike together: `apply` of a folder makes dozens. */
function requests(steps: readonly TraceStep[]): Part[] {
  const alike = new Map<string, TraceStep[]>();
  for (const step of steps) {
    const { kind, details, object } = step;
    if (kind !== "kubectl.request" || !writes(textOf(details, "method"))) continue;
    const what = object?.resource ?? textOf(details, "path").split("/").at(-1) ?? "";
    const words = [textOf(details, "method"), what, textOf(details, "code")];
    const key = words.filter((word) => word !== "" && word !== "0").join(" ");
    const known = alike.get(key);
    if (known) known.push(step);
    else alike.set(key, [step]);
  }
  return [...alike].flatMap(([words, all]) => {
    const [step] = all;
    if (!step) return [];
    const failed = Number(textOf(step.details, "code")) >= 400;
    const counted = all.length > 1 ? `${all.length} × ${words}` : words;
    const text = step.took === undefined ? counted : `${counted} · ${took(lasted(all))}`;
    return [{ text, step, failed, objects: failed ? [] : all.flatMap((one) => asked(one, steps)) }];
  });
}

/** From the first's beginning to the last's end, in milliseconds. */
function lasted(steps: readonly TraceStep[]): number {
  const ends = steps.map((step) => step.at + (step.took ?? 0));
  return Math.max(...ends) - Math.min(...steps.map(({ at }) => at));
}

/** Objects that others made because of it, those of one maker and kind together. */
function made(steps: readonly TraceStep[], byId: ReadonlyMap<number, TraceStep>): Part[] {
  const groups = new Map<string, { step: TraceStep; who: string; objects: TraceObject[] }>();
  for (const step of steps) {
    const { kind, object, details } = step;
    if (kind !== "apiserver.request" || !object?.resource || object.subresource) continue;
    if (textOf(details, "verb") !== "create" || Number(textOf(details, "code")) >= 300) continue;
    if (BY_THE_WAY.has(object.resource)) continue;
    const work = maker(step, byId);
    const who = work ? actorOf(work) : "";
    if (!work || who === "kubectl" || who === "") continue;
    const key = `${who} ${object.resource}`;
    const group = groups.get(key);
    if (group) group.objects.push(object);
    // Who made them is what the line leads to: that the server wrote them down is a step further.
    else groups.set(key, { step: work, who, objects: [object] });
  }
  return [...groups.values()].map(({ step, who, objects }) => {
    const [first] = objects;
    const resource = SHORT[first?.resource ?? ""] ?? first?.resource ?? "";
    const what =
      objects.length === 1
        ? `made ${resource} ${first?.name ?? ""}`
        : `${objects.length} ${resource.replace(/s?$/, "s")}`;
    const text = objects.length === 1 ? `${who} ${what}` : what;
    return { text, step, failed: false, objects };
  });
}

/** Short words for what is often made, as `kubectl api-resources` has them. */
const SHORT: Readonly<Record<string, string>> = {
  replicasets: "rs",
  pods: "pod",
  deployments: "deploy",
  jobs: "job",
  endpointslices: "endpointslice",
  serviceaccounts: "sa",
  configmaps: "cm",
  persistentvolumeclaims: "pvc",
};

function bound(steps: readonly TraceStep[]): Part[] {
  const binds = steps.filter(({ kind }) => kind === "scheduler.bind");
  const [first] = binds;
  if (!first) return [];
  const nodes = new Set(binds.map(({ details, node }) => textOf(details, "node") || (node ?? "")));
  nodes.delete("");
  const objects = [
    ...binds.flatMap(({ object }) => (object ? [whole(object)] : [])),
    ...[...nodes].map((name) => ({ version: "v1", resource: "nodes", name })),
  ];
  return [{ text: [...nodes].join(", ") || "bound", step: first, failed: false, objects }];
}

function started(steps: readonly TraceStep[], command: TraceStep): Part[] {
  const starts = steps.filter(
    ({ kind, details }) => kind === "cri.StartContainer" && textOf(details, "error") === "",
  );
  const last = starts.at(-1);
  if (!last) return [];
  const after = last.at + (last.took ?? 0) - command.at;
  const objects = starts.flatMap(({ object }) => (object ? [whole(object)] : []));
  const text = `${starts.length} started · ${took(after)}`;
  return [{ text, step: last, failed: false, objects }];
}

function refused(steps: readonly TraceStep[], byId: ReadonlyMap<number, TraceStep>): Part[] {
  const found = new Map<string, Part>();
  const made = new Set(
    steps.flatMap(({ kind, object, details }) =>
      kind === "apiserver.request" && textOf(details, "verb") === "create" ? [nameOf(object)] : [],
    ),
  );
  for (const step of steps) {
    // A pod that waited before, is tried again and waits on: nothing has become of it.
    if (step.kind === "scheduler.attempt" && !made.has(nameOf(step.object))) continue;
    const turned = !MAY_TURN_BACK.has(step.kind) || turnsBack(step, byId);
    const text = turned ? refusal(step) : "";
    // The same refusal is told each time that it is tried again, of a pod by another name.
    const reason = text.replaceAll(/"[^"]*"/g, '""');
    if (text === "" || found.has(reason)) continue;
    const objects = step.object?.name ? [whole(step.object)] : [];
    found.set(reason, { text, step, failed: true, objects });
  }
  return [...found.values()].slice(0, 4);
}

function nameOf(object: TraceObject | undefined): string {
  return `${object?.resource ?? ""} ${object?.namespace ?? ""} ${object?.name ?? ""}`;
}

/** Kinds that turn somebody back now and then. */
const MAY_TURN_BACK: ReadonlySet<string> = new Set(["registry.exists", "kubelet.admission"]);

function refusal(step: TraceStep): string {
  const { kind, details, object, node } = step;
  switch (kind) {
    case "admission.refused":
      return `${textOf(details, "plugin")} refused: ${textOf(details, "message")}`;
    case "kubectl.refused":
      return `refused by kubectl: ${textOf(details, "message")}`;
    case "authentication.refused":
      return `401: nobody accepted the credentials${because(textOf(details, "reason"))}`;
    case "authorization.forbidden":
      return `403: user ${textOf(details, "user")} may not ${textOf(details, "verb")}`;
    case "validation.refused":
      return `422: ${sentence(step)}`;
    case "registry.exists":
      return `409: ${textOf(details, "key")} is taken`;
    case "kubelet.admission":
      return `${node ?? "its node"} refused "${object?.name ?? "a pod"}": ${textOf(details, "reason")}`;
    case "scheduler.attempt":
      return textOf(details, "node") === "" && textOf(details, "message") !== ""
        ? `${object?.name ?? "a pod"}: ${textOf(details, "message")}`
        : "";
    default: {
      const error = kind.startsWith("cri.") ? textOf(details, "error") : "";
      return error === "" ? "" : `${kind.slice(4)}: ${inTheEnd(error)}`;
    }
  }
}

/** Characters of an error that are read in one line. */
const READ = 48;

/** What went wrong in the end: runtimes say before it all that they were at. */
function inTheEnd(error: string): string {
  const text = error.replace(/^(?:rpc error: code = \w+ desc = )+/, "");
  return text.length <= READ ? text : text.split(": ").slice(-2).join(": ");
}

/** The work that a request is of: the nearest above it that is neither the server's nor the store's. */
function maker(step: TraceStep, byId: ReadonlyMap<number, TraceStep>): TraceStep | undefined {
  for (let at = byId.get(step.cause ?? 0); at; at = byId.get(at.cause ?? 0)) {
    const acts = at.component !== "kube-apiserver" && at.component !== "etcd";
    // A batch is part of the work that names the controller.
    if (acts && at.kind !== "controllers.batch") return at;
    if ((at.cause ?? 0) >= at.id) break;
  }
  return undefined;
}

function writes(method: string): boolean {
  return method !== "" && method !== "GET" && method !== "HEAD";
}
