import type { TraceStep } from "../rpc/protocol.ts";
import { Details } from "../trace/details.ts";
import { listOf } from "../trace/look.ts";
import { above, BY_THE_WAY, ENTERS, isByTheWay, REQUEST, turnsBack, WRITE } from "../trace/told.ts";
import { actorOf, textOf } from "../trace/words.ts";
import { scalings } from "../trace/wrote.ts";
import { Alike } from "./alike.ts";
import { onceThroughTheDoor } from "./door.ts";
import { OF_EACH_POD, Others } from "./others.ts";
import { inOrder } from "./order.ts";

/*
 * What of a command is worth telling slowly. A cluster takes hundreds of steps, most of which look at
 * an object and find that it is none of their business, or do for the third pod what they have done for
 * the first. Told is the way that led to something, once in full, and the way of a request through kube-apiserver as far
 * as it is another than those before it (door.ts).
 */

/** What a step of these kinds asks or is made of, told with it. */
const WITH: Readonly<Record<string, RegExp>> = {
  "kubectl.command": /^kubectl\./,
  "apiserver.request":
    /^(authentication\.|authorization\.|admission\.|validation\.|apiserver\.decoded|registry\.)/,
  "controllers.reconcile": /^controllers\.read$/,
  "etcd.put": /^etcd\.watched$/,
  "etcd.delete": /^etcd\.watched$/,
  "scheduler.attempt": /^scheduler\./,
  "kubelet.syncPod":
    /^(cri\.(RunPodSandbox|PullImage|CreateContainer|StartContainer)|kubelet\.volume)$/,
  "kubelet.logs": /^cri\./,
  "cri.RunPodSandbox": /^(cni\.|cri\.pause)/,
};

/** And of a command that only looks how it was answered, which is where its way ends. */
const ANSWERS: ReadonlySet<string> = new Set(["apiserver.handler"]);

/** Steps that are told each time: pods are made in batches, each is bound, and starts. */
const EACH: ReadonlySet<string> = new Set(["controllers.batch", ...OF_EACH_POD]);

/** A node's pods are led to a Service from now on: that is what a Service is made for. */
const LED: ReadonlySet<string> = new Set(["network.service", "network.endpoints"]);

/** The steps of a command that are told slowly, in the order in which they are told. */
export function story(steps: readonly TraceStep[]): readonly TraceStep[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const under = new Map<number, TraceStep[]>();
  for (const step of steps) {
    const cause = step.cause ?? 0;
    const known = under.get(cause);
    if (known) known.push(step);
    else under.set(cause, [step]);
  }
  const alike = new Alike(byId);
  const told = new Set<TraceStep>();
  const firsts = new Map<string, TraceStep>();
  /** A step once for each way that leads to one of its kind; false if another has gone it before. */
  const tell = (step: TraceStep): boolean => {
    const way = alike.of(step);
    const first = firsts.get(way) ?? step;
    firsts.set(way, first);
    if (first === step || EACH.has(step.kind)) told.add(step);
    return first === step;
  };
  const ends = new Set(lastStatuses(steps, byId));
  const led = new Set(lastLed(steps));
  const scaled = scalings(steps, byId);
  const leads = (step: TraceStep) =>
    leadsSomewhere(step) || (turnsBack(step, byId) && !isByTheWay(step, byId));
  // Of a command that only looks the way of what it asks is all there is to tell.
  const looks = !steps.some(leads);
  const others = new Others(steps);
  for (const step of others.last(steps)) {
    // By these a rollout goes on, and what is written says how far it is.
    if (scaled.has(step.id) || (WRITE.test(step.kind) && scaled.has(step.cause ?? 0)))
      told.add(step);
    if (!leads(step) && !(looks && isAsked(step, byId))) continue;
    // A controller writes down how far its object is after each change of what is below it: told is the last time, which
    // is what it all came to.
    if (statusOf(step, byId) !== undefined) {
      if (ends.has(step)) for (const one of [step, above(byId, step)]) if (one) told.add(one);
      continue;
    }
    if (led.has(step)) told.add(step);
    for (let at: TraceStep | undefined = step; at; at = above(byId, at)) {
      if (!tell(at)) continue;
      for (const child of under.get(at.id) ?? []) {
        const answers = looks && at.kind === REQUEST && ANSWERS.has(child.kind);
        if (!answers && (!WITH[at.kind]?.test(child.kind) || isPlain(child))) continue;
        if (tell(child)) {
          for (const grandchild of under.get(child.id) ?? []) {
            if (WITH[child.kind]?.test(grandchild.kind)) tell(grandchild);
          }
        }
      }
    }
  }
  const [root] = steps;
  if (root) {
    told.add(root);
    for (const child of under.get(root.id) ?? [])
      if (child.kind.startsWith("kubectl.") && !isPlain(child)) tell(child);
  }
  const ordered = inOrder(steps).filter((step) => told.has(step));
  return onceThroughTheDoor(onceToldAWatch(others.behind(ordered)));
}

/** After each write who watches is told of it, which is what wakes everybody: that is told once. */
function onceToldAWatch(story: readonly TraceStep[]): readonly TraceStep[] {
  const first = story.find(({ kind }) => kind === "etcd.watched");
  return story.filter((step) => step === first || step.kind !== "etcd.watched");
}

/** Where a step is among those that are told, or the last one that began before it. */
export function nearest(told: readonly TraceStep[], step: TraceStep): number {
  const at = told.indexOf(step);
  return at >= 0
    ? at
    : Math.max(
        0,
        told.findLastIndex((one) => one.at <= step.at),
      );
}

/**
 * The way through a registry that does nothing of its own: its parts are told. And what the scheduler asks its plugins
 * on the way to a node, where none of them has anything against it; and what kubectl did not have to ask.
 */
function isPlain({ kind, details }: TraceStep): boolean {
  if (kind === "kubectl.discovery") return textOf(details, "unneeded") === "true";
  if (kind === "scheduler.prefilter") return !new Details(details).has("refused");
  if (POINTS.has(kind)) return /^(Success|Skip)$/.test(textOf(details, "code"));
  if (kind !== "registry.stored") return false;
  return !listOf(details, "hooks").some(
    (hook) =>
      typeof hook === "string" ||
      (OWN_HOOKS.has(textOf(hook, "point")) && textOf(hook, "func") !== ""),
  );
}

const POINTS: ReadonlySet<string> = new Set(["scheduler.permit", "scheduler.prebind"]);

/** The hooks that a registry may leave out (core/apiserver/apitrace, Stored.Brief). */
const OWN_HOOKS: ReadonlySet<string> = new Set(["BeginCreate", "AfterCreate", "Decorator"]);

/** Whose status of what a step writes; undefined if it is no controller's. */
function statusOf(step: TraceStep, byId: ReadonlyMap<number, TraceStep>): string | undefined {
  const request = above(byId, step);
  if (step.kind !== "etcd.put" || request?.object?.subresource !== "status") return undefined;
  const by = above(byId, request);
  return by?.node ? undefined : `${by ? actorOf(by) : ""} ${request.object.resource ?? ""}`;
}

/** Where each Service, and each of its slices, was led to at last: pods become ready one by one. */
function lastLed(steps: readonly TraceStep[]) {
  const found = new Map<string, TraceStep>();
  for (const step of steps) {
    const { kind, object, cause } = step;
    const what = `${kind} ${object?.namespace ?? ""}/${object?.name ?? ""}`;
    // Of the nodes that all hear of it the first.
    if (LED.has(kind) && found.get(what)?.cause !== cause) found.set(what, step);
  }
  return found.values();
}

/** The last status that each controller wrote, by the store's revisions. */
function lastStatuses(steps: readonly TraceStep[], byId: ReadonlyMap<number, TraceStep>) {
  const found = new Map<string, TraceStep>();
  const revision = ({ details }: TraceStep) => Number(textOf(details, "revision")) || 0;
  for (const step of steps) {
    const status = statusOf(step, byId);
    if (status === undefined) continue;
    const before = found.get(status);
    if (!before || revision(before) <= revision(step)) found.set(status, step);
  }
  return found.values();
}

/** Something was written, decided or started, or failed to. */
function leadsSomewhere({ kind, object, details }: TraceStep): boolean {
  if (WRITE.test(kind)) {
    const [, , resource = ""] = textOf(details, "key").split("/");
    return !BY_THE_WAY.has(object?.resource ?? resource);
  }
  if (kind === "scheduler.attempt") return textOf(details, "node") === "";
  if (LED.has(kind) || ENTERS.has(kind)) return true;
  return EACH.has(kind) || (kind.startsWith("cri.") && textOf(details, "error") !== "");
}

/** What kubectl has asked the server. */
function isAsked(step: TraceStep, byId: ReadonlyMap<number, TraceStep>): boolean {
  return step.kind === REQUEST && above(byId, step)?.kind === "kubectl.request";
}
