import type { TraceStep } from "../rpc/protocol.ts";
import type { Event } from "../kube/types.ts";
import type { TraceFeed } from "./feed.ts";
import { textOf, took } from "./words.ts";

type Steps = TraceFeed["steps"];

/** What people have typed, the last one last. What Tab asks kubectl is no command of theirs. */
export function commands(steps: Steps): TraceStep[] {
  const found: TraceStep[] = [];
  for (const step of steps.values())
    if (step.kind === "kubectl.command" && !COMPLETES.test(textOf(step.details, "line")))
      found.push(step);
  return found.sort((a, b) => a.at - b.at);
}

/** The hidden command that completion asks (github.com/spf13/cobra, completions.go). */
const COMPLETES = /^kubectl __complete(NoDesc)?( |$)/;

/** The step at the top of the tree that `id` is in, as far as it is held. */
export function top(steps: Steps, id: number): number {
  let at = id;
  for (;;) {
    const cause = steps.get(at)?.cause ?? 0;
    // A cause began before what it caused: nothing can be above itself.
    if (cause === 0 || cause >= at || !steps.has(cause)) return at;
    at = cause;
  }
}

/** What a step was caused by, if that is held. */
export function above(
  steps: Pick<ReadonlyMap<number, TraceStep>, "get">,
  { id, cause = 0 }: TraceStep,
): TraceStep | undefined {
  // A cause began before what it caused: nothing can be above itself.
  return cause < id ? steps.get(cause) : undefined;
}

/** All that a step caused, itself first, in the order in which it began. */
export function caused(trace: Pick<TraceFeed, "tree">, id: number): readonly TraceStep[] {
  const tree = trace.tree(id);
  const known = sorted.get(tree);
  if (known) return known;
  // A real node's clock may be behind: the first stays first.
  const [first, ...below] = tree.map(({ step }) => step);
  const steps = first ? [first, ...below.sort((a, b) => a.at - b.at || a.id - b.id)] : [];
  sorted.set(tree, steps);
  return steps;
}

/** What was found for a tree: several views ask for the same one. */
const sorted = new WeakMap<object, readonly TraceStep[]>();

/**
 * The command that people mean by "what just happened": the last one that wrote something, since
 * those that only look would hide it, or was refused; or the last one if none did.
 */
export function lastTelling(trace: Pick<TraceFeed, "steps" | "tree">): TraceStep | undefined {
  const all = commands(trace.steps);
  const wrote = all.findLast(({ id }) => trace.tree(id).some(({ step }) => tells(step)));
  return wrote ?? all.at(-1);
}

/**
 * What just happened, among commands in the order of time: the last one that wrote something, or the very
 * last one if it was turned back. A refusal is over when somebody goes on; undefined if none did either.
 */
export function justHappened(
  trace: Pick<TraceFeed, "tree">,
  among: readonly TraceStep[],
): TraceStep | undefined {
  const last = among.at(-1);
  if (last && trace.tree(last.id).some(({ step }) => tells(step))) return last;
  return among.findLast((command) => wrote(trace, command));
}

/** Whether a command, or what came of it, wrote something. */
export function wrote(trace: Pick<TraceFeed, "tree">, { id }: TraceStep): boolean {
  return trace.tree(id).some(({ step }) => WRITE.test(step.kind));
}

/** What is written to the store. */
export const WRITE = /^etcd\.(put|delete)$/;

/** What is written by the way, by resource, and is no part of a command's story. */
export const BY_THE_WAY: ReadonlySet<string> = new Set(["events", "leases", "endpoints"]);

/** A request about such a thing, or a part of one, that nobody typed. */
export function isByTheWay(
  step: TraceStep,
  steps: Pick<ReadonlyMap<number, TraceStep>, "get">,
): boolean {
  if (!BY_THE_WAY.has(step.object?.resource ?? "")) return false;
  const request = step.kind === REQUEST ? step : above(steps, step);
  return !request || above(steps, request)?.kind !== "kubectl.request";
}

/** What somebody's request to a container leads to. */
export const ENTERS: ReadonlySet<string> = new Set([
  "cri.Exec",
  "cri.Attach",
  "cri.PortForward",
  "kubelet.logs",
]);

const REFUSED: ReadonlySet<string> = new Set([
  "authentication.refused",
  "authorization.forbidden",
  "admission.refused",
  "kubectl.refused",
]);

/** It wrote or was turned back, by validation, too. */
function tells({ kind, details }: TraceStep): boolean {
  if (kind !== "kubectl.request") return WRITE.test(kind) || REFUSED.has(kind);
  return textOf(details, "method") !== "GET" && Number(textOf(details, "code")) >= 400;
}

/**
 * Somebody is turned back at this step. A name that is taken turns back whoever asked; that is a command's
 * refusal if it was kubectl: a controller takes what is there.
 */
export function turnsBack(
  { kind, cause, details }: TraceStep,
  steps: Pick<ReadonlyMap<number, TraceStep>, "get">,
): boolean {
  if (kind === "kubelet.admission") return textOf(details, "admitted") === "false";
  if (kind !== "registry.exists") return /\.(refused|forbidden)$/.test(kind);
  return steps.get(steps.get(cause ?? 0)?.cause ?? 0)?.kind === "kubectl.request";
}

/** An object, as an address names it. */
export interface About {
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Every step that is about an object or a part of it, such as its status, in the order of time. */
export function stepsAbout(steps: Steps, { resource, namespace, name }: About): TraceStep[] {
  return [...steps.values()]
    .filter(
      ({ object }) =>
        object?.resource === resource &&
        object.name === name &&
        (object.namespace ?? "") === (namespace ?? ""),
    )
    .sort((a, b) => a.at - b.at || a.id - b.id);
}

/**
 * The step that an event tells of: the kubelet's own where it is held, else the one that wrote the
 * event; undefined if neither is.
 */
export function stepOfEvent(
  steps: Steps,
  { metadata, reason, involvedObject }: Event,
): TraceStep | undefined {
  let found: TraceStep | undefined;
  for (const step of steps.values()) {
    const { object, kind, details } = step;
    if (
      kind === "kubelet.event" &&
      object?.name === involvedObject.name &&
      (object?.namespace ?? "") === (involvedObject.namespace ?? "") &&
      textOf(details, "reason") === reason
    ) {
      return step;
    }
    const own = object?.resource === "events" && object.name === metadata.name;
    if (own && object.namespace === metadata.namespace) found ??= step;
  }
  return found;
}

/** The chapter that a command comes to when a container has started. */
export const END = "wrap-up";

/** How far a command has come in one chapter of the guide. */
export interface Reached {
  /** When its first step began, in milliseconds after the command's. */
  readonly after: number;
  /** When the last of them to end had ended. */
  readonly until: number;
  readonly steps: number;
}

/** The kind of the step that a request to the API server is. */
export const REQUEST = "apiserver.request";

/** A handler that reads: it says where it has its answer from. */
export const isRead = ({ kind, details }: TraceStep) =>
  kind === "apiserver.handler" && textOf(details, "from") !== "";

/**
 * Whether a step lasts for as long as all of its request does: what is in it comes to its chapter first. In a handler
 * that reads nothing is.
 */
export const isAround = (step: TraceStep) =>
  step.kind === REQUEST || (step.kind === "apiserver.handler" && !isRead(step));

/**
 * The chapter that a step is in: its kind's. But what a controller of the API server does within a request, before
 * anything is written or heard of, is admission's work: ResourceQuota counts by such a one. And that the scheduler's
 * informer hears of a pod is the scheduler's.
 */
export function chapterOf(
  step: TraceStep,
  steps: Pick<ReadonlyMap<number, TraceStep>, "get">,
): string {
  if (!step.kind.startsWith("controllers.")) return step.chapter;
  if (step.component === "kube-scheduler") return "scheduler";
  for (let at = step; ;) {
    if (at.kind === "controllers.informed" || at.kind.startsWith("etcd.")) return step.chapter;
    if (at.kind === "apiserver.request") return "admission";
    const cause = steps.get(at.cause ?? 0);
    // A cause began before what it caused: nothing can be above itself.
    if (!cause || cause.id >= at.id) return step.chapter;
    at = cause;
  }
}

/**
 * The chapters that a command has come to, by name. `at` is when it began. It has come to the last one when
 * a container has started, and is there when the last of them has.
 */
export function reached(steps: readonly TraceStep[], at: number): ReadonlyMap<string, Reached> {
  const found = new Map<string, Reached>();
  const count = (chapter: string, began: number, ended: number, more: number) => {
    const { after, until, steps: before } = found.get(chapter) ?? NOT_YET;
    found.set(chapter, {
      after: Math.min(after, Math.max(0, began - at)),
      until: Math.max(until, ended - at),
      steps: before + more,
    });
  };
  const byId = new Map(steps.map((step) => [step.id, step]));
  for (const step of steps) {
    const { at: began, took: lasted = 0 } = step;
    // What goes around others is told of with its end, when the answer is there.
    const ended = began + lasted;
    count(chapterOf(step, byId), isAround(step) ? ended : began, ended, 1);
  }
  const last = starts(steps).at(-1);
  const ran = last && last.at + (last.took ?? 0);
  if (ran !== undefined) count(END, ran, ran, 0);
  return found;
}

const NOT_YET: Reached = { after: Infinity, until: 0, steps: 0 };

/** When a step had ended, in milliseconds after its command began. */
export function endOf({ at, took: lasted = 0 }: TraceStep, command: TraceStep | undefined): number {
  return Math.max(0, at + lasted - (command?.at ?? at));
}

/** The containers that started, in the order in which they did. */
export function starts(steps: readonly TraceStep[]): readonly TraceStep[] {
  return steps
    .filter(({ kind, details }) => kind === "cri.StartContainer" && textOf(details, "error") === "")
    .sort((a, b) => endOf(a, steps[0]) - endOf(b, steps[0]));
}

/** What a command has come to, behind the number of its steps: its containers, or its own end. */
export function done(steps: readonly TraceStep[]): string {
  const after = (step: TraceStep) => took(endOf(step, steps[0]));
  const started = starts(steps);
  const last = started.at(-1);
  if (last) {
    const many = started.length === 1 ? "a container runs" : `${started.length} containers run`;
    return ` · ${many} after ${after(last)}`;
  }
  const exit = steps.find(({ kind }) => kind === "kubectl.exit");
  return exit ? ` · kubectl ended after ${after(exit)}` : "";
}
