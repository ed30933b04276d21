import type { TraceObject, TraceStep } from "../rpc/protocol.ts";
import type { TraceFeed } from "./feed.ts";
import { caused, isByTheWay, turnsBack } from "./told.ts";
import { because, sentence, textOf, took } from "./words.ts";
import { whole, wrote } from "./wrote.ts";

/** One part of what a command set off: words, and the step that they are about. */
export interface Part {
  readonly text: string;
  readonly step: TraceStep;
  readonly failed: boolean;
  /** The objects that it is about. */
  readonly objects: readonly TraceObject[];
}

/**
 * What a command set off, in a line: its own request, or what it would have sent; who made, scaled, changed or
 * deleted what because of it, where pods went, what started and stopped, and what was refused.
 */
export function happened(trace: Pick<TraceFeed, "tree">, command: TraceStep): Part[] {
  const steps = caused(trace, command.id);
  const byId = new Map(steps.map((step) => [step.id, step]));
  return [
    ...requests(steps),
    ...unsent(steps),
    ...wrote(steps, byId),
    ...bound(steps),
    ...ran(steps, "cri.StartContainer", "started", command),
    ...ran(steps, "cri.StopContainer", "stopped", command),
    ...refused(steps, byId),
  ].sort((a, b) => a.step.at - b.step.at || a.step.id - b.step.id);
}

/** The object that a request of kubectl's was about: the server knows its name. */
function asked(request: TraceStep, steps: readonly TraceStep[]): TraceObject | undefined {
  const served = steps.find(
    ({ kind, cause }) => kind === "apiserver.request" && cause === request.id,
  );
  return served?.object ?? request.object;
}

/** "deployments/scale": what a request was about, by the server or else by its path, whose last part may be a name. */
function resourceOf(request: TraceStep, steps: readonly TraceStep[]): string {
  const { resource, subresource } = asked(request, steps) ?? {};
  if (resource) return subresource ? `${resource}/${subresource}` : resource;
  return textOf(request.details, "path").split("/").at(-1) ?? "";
}

/** What kubectl asked for, requests that are alike and ended alike together: `apply` of a folder makes dozens. */
function requests(steps: readonly TraceStep[]): Part[] {
  const alike = new Map<string, TraceStep[]>();
  for (const step of steps) {
    const { kind, details } = step;
    if (kind !== "kubectl.request" || !writes(textOf(details, "method"))) continue;
    const words = [textOf(details, "method"), resourceOf(step, steps), textOf(details, "code")];
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
    const objects = all.flatMap((one) => asked(one, steps) ?? []).filter(({ name }) => name);
    return [{ text, step, failed, objects: failed ? [] : objects.map(whole) }];
  });
}

/** What kubectl made and sent to nobody. */
function unsent(steps: readonly TraceStep[]): Part[] {
  const made = steps.filter(
    ({ kind, details }) => kind === "kubectl.object" && textOf(details, "dryRun") === "client",
  );
  const [step] = made;
  if (!step) return [];
  const one = `${textOf(step.details, "kind")} ${textOf(step.details, "name")}`.trim();
  const what = made.length === 1 ? one : `${made.length} objects`;
  return [{ text: `made ${what}, sent to nobody`, step, failed: false, objects: [] }];
}

/** From the first's beginning to the last's end, in milliseconds. */
function lasted(steps: readonly TraceStep[]): number {
  const ends = steps.map((step) => step.at + (step.took ?? 0));
  return Math.max(...ends) - Math.min(...steps.map(({ at }) => at));
}

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

/** Containers that started, or stopped, and when the last of them had. */
function ran(
  steps: readonly TraceStep[],
  call: string,
  did: string,
  command: TraceStep,
): readonly Part[] {
  const calls = steps.filter(
    ({ kind, details }) => kind === call && textOf(details, "error") === "",
  );
  const last = calls.at(-1);
  if (!last) return [];
  const after = last.at + (last.took ?? 0) - command.at;
  const objects = calls.flatMap(({ object }) => (object ? [whole(object)] : []));
  const text = `${calls.length} ${did} · ${took(after)}`;
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
    if (isByTheWay(step, byId)) continue;
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
      return `403: ${sentence(step).replace("forbidden: ", "")}`;
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

function writes(method: string): boolean {
  return method !== "" && method !== "GET" && method !== "HEAD";
}
