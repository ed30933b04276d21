import type { TraceStep } from "../rpc/protocol.ts";
import { listOf } from "../trace/look.ts";
import { actorOf, byChance, textOf } from "../trace/words.ts";
import { Lives, type Standing } from "./lives.ts";
import { above, REQUEST, WRITE } from "../trace/told.ts";

export interface Score {
  readonly total: string;
  readonly chosen: boolean;
  readonly byChance: boolean;
}

export interface Making {
  /** In one word: "sandbox", "network", "pause", "image", "container". */
  readonly what: string;
  readonly address: string;
}

/** What a runtime's steps make, in the order in which they come. */
const MAKES: Readonly<Record<string, string>> = {
  "cri.RunPodSandbox": "sandbox",
  "cni.network": "network",
  "cri.pause": "pause",
  "cri.PullImage": "image",
  "cri.CreateContainer": "container",
};

/** What is known of a cluster at one step of a command. */
export interface Moment {
  readonly revision: string;
  /** The pods on each node of which steps tell, each as "namespace/name", with how it stands there. */
  readonly pods: Standing;
  /** Those of them that were there before any step that says how they stand. */
  readonly supposed: ReadonlySet<string>;
  /** All pods of which steps tell, those that come later too, and those that are gone. */
  readonly told: Pick<ReadonlySet<string>, "has">;
  /**
   * Names of whom the server asks, as its steps tell: by station. It is those that the request has met that a step is
   * part of, or came of; where there is none, those that the command's last one has, or the start tells of.
   */
  readonly asked: ReadonlyMap<string, readonly string[]>;
  /** Those of them that changed or refused what that request brought there: by station. */
  readonly acted: ReadonlyMap<string, ReadonlySet<string>>;
  /** The node to which a pod is bound at this very step; empty at others. */
  readonly binds: string;
  /** The stations that this request has passed, or where there is none any of the command. */
  readonly passed: ReadonlySet<string>;
  /**
   * What the scheduler gave each node for the pod that it looks at, until that is placed: which it took,
   * and whether another one had as much, so that it was by chance.
   */
  readonly scores: ReadonlyMap<string, Score>;
  /**
   * What is being made of a pod on each node, and the address that it has got: until its container has started, or
   * something of it failed.
   */
  readonly making: ReadonlyMap<string, Making>;
  /** How many items wait in the queue of a controller, by who acts. */
  readonly waiting: ReadonlyMap<string, number>;
}

/** What the start has told of whom the server asks: by the step's kind. */
const CONFIGURED: Readonly<Record<string, string>> = {
  "start.authentication": "authentication",
  "start.authorization": "authorization",
  "start.admission": "admission",
};

/** Steps after which a pod's scores say nothing any more. */
const PLACED: ReadonlySet<string> = new Set([
  "scheduler.bind",
  "scheduler.unreserve",
  "scheduler.requeued",
]);

/** Steps that tell whom a station has asked, and where they say it. */
const ASKED: Readonly<Record<string, readonly [station: string, key: string]>> = {
  "authentication.accepted": ["authentication", "asked"],
  "authorization.allowed": ["authorization", "asked"],
  "admission.mutating": ["admission", "plugins"],
  "admission.validating": ["validation", "plugins"],
};

/** The steps of the cluster's start. */
export function startOf(steps: ReadonlyMap<number, TraceStep>): readonly TraceStep[] {
  const start: TraceStep[] = [];
  for (const step of steps.values()) if (step.kind.startsWith("start.")) start.push(step);
  return start;
}

/**
 * What the steps of a command have come to at `until`, or all of them. They are in the order in which they are told:
 * what comes after it has not happened yet. `start` has the steps of
 * the cluster's start: before a first command, they say who is asked. `lives` are those of all pods, whose ever steps
 * tell of them: they stand as at `seen`, which is another step where the story ends before the last of them has gone
 * the way that it has told of one.
 */
export function momentOf(
  steps: readonly TraceStep[],
  until?: TraceStep,
  start: readonly TraceStep[] = [],
  lives = new Lives(steps),
  seen = until,
): Moment {
  let revision = "";
  const request = until && requestOf(until, steps);
  const asked = new Map<string, readonly string[]>();
  const acted = new Map<string, ReadonlySet<string>>();
  const passed = new Set<string>();
  let binds = "";
  let scores: Moment["scores"] = new Map();
  let scored = "";
  const waiting = new Map<string, number>();
  const making = new Map<string, Making>();
  /** The node that each pod is to be bound to, and the requests that bind one: it is, once that is stored. */
  const goesTo = new Map<string, string>();
  const bindings = new Set<number>();
  for (const { kind, details } of start) {
    const station = Object.hasOwn(CONFIGURED, kind) ? CONFIGURED[kind] : undefined;
    if (station === undefined) continue;
    // Each plugin is told of by itself, and each server in the chain has all of them.
    const known = asked.get(station) ?? [];
    asked.set(station, [...new Set([...known, ...texts(details, "names")])]);
  }
  let past = false;
  for (const step of steps) {
    const { kind, details, node = "", object } = step;
    if (until && past) {
      // It was in its queue already.
      if (kind === "controllers.reconcile" && step.at - number(details, "waited") < until.at) {
        const actor = actorOf(step);
        waiting.set(actor, (waiting.get(actor) ?? 0) + 1);
      }
      continue;
    }
    past = step.id === until?.id;
    const pod = object?.name ?? "";
    if (WRITE.test(kind)) revision = textOf(details, "revision") || revision;
    if (kind === REQUEST && object?.subresource === "binding") bindings.add(step.id);
    if (kind === "etcd.put" && step.id === until?.id && bindings.has(step.cause ?? 0))
      binds = goesTo.get(pod) ?? "";
    if (kind === "scheduler.bind") goesTo.set(pod, textOf(details, "node"));
    if (kind === "scheduler.score") {
      scores = scoresOf(details);
      scored = pod;
    }
    if (PLACED.has(kind) && pod === scored) scores = new Map();
    const failed = kind.startsWith("cri.") && textOf(details, "error") !== "";
    if (failed || kind === "cri.StartContainer") making.delete(node);
    const what = Object.hasOwn(MAKES, kind) ? MAKES[kind] : undefined;
    if (what !== undefined && node !== "" && !failed) {
      const given = listOf(details, "ips").find((one) => typeof one === "string");
      // A sandbox begins without an address.
      const before = what === "sandbox" ? "" : (making.get(node)?.address ?? "");
      making.set(node, { what, address: given ?? before });
    }
    const [station, key] = Object.hasOwn(ASKED, kind) ? (ASKED[kind] ?? []) : [];
    if (station === undefined || key === undefined) continue;
    if (request !== undefined && step.cause !== request) continue;
    asked.set(station, names(details, key));
    acted.set(station, new Set(namesOf(listOf(details, key).filter(hasActed))));
    passed.add(station);
  }
  // Meanwhile others do something else, and another pod is bound, of which these say nothing.
  const { resource, name } = until?.object ?? {};
  if (until && (resource !== "pods" || name !== scored)) scores = new Map();
  const { pods, supposed } = lives.at(seen, steps);
  return {
    revision,
    pods,
    supposed,
    told: lives.names,
    asked,
    acted,
    binds,
    passed,
    scores,
    making,
    waiting,
  };
}

/** The request that a step is, is a part of, or came of, by its ID: the nearest; undefined if there is none. */
function requestOf(until: TraceStep, steps: readonly TraceStep[]): number | undefined {
  const known = new Map(steps.map((step) => [step.id, step]));
  let step: TraceStep | undefined = until;
  while (step && step.kind !== REQUEST) step = above(known, step);
  return step?.id;
}

/** etcd's revision before a command's own first write: what others wrote last until then. */
export function writtenBefore(
  steps: ReadonlyMap<number, TraceStep>,
  until: TraceStep | undefined,
  own: readonly TraceStep[],
): string {
  // A write that checks its object on the way has begun before what it is checked by is told.
  const isWrite = ({ kind }: TraceStep) => WRITE.test(kind);
  const writes = new Set(own.flatMap((step) => (isWrite(step) ? [step.id] : [])));
  let last: TraceStep | undefined;
  for (const step of steps.values()) {
    if (!isWrite(step) || writes.has(step.id)) continue;
    if (until && step.at > until.at) continue;
    // A transaction that came too late has written none.
    if (textOf(step.details, "revision") === "") continue;
    if (!last || step.at >= last.at) last = step;
  }
  return last ? textOf(last.details, "revision") : "";
}

function scoresOf(details: unknown): Moment["scores"] {
  const best = textOf(details, "chosen");
  const totals = new Map(
    listOf(details, "nodes").map((row) => [textOf(row, "node"), textOf(row, "total")]),
  );
  const alike = byChance([...totals.values()]);
  return new Map(
    [...totals].map(([node, total]) => {
      const chosen = node === best;
      return [node, { total, chosen, byChance: chosen && alike }];
    }),
  );
}

function number(of: unknown, key: string): number {
  return Number(textOf(of, key)) || 0;
}

function names(of: unknown, key: string): readonly string[] {
  return namesOf(listOf(of, key));
}

function namesOf(list: readonly unknown[]): readonly string[] {
  return list.map((one) => textOf(one, "name")).filter(Boolean);
}

function hasActed(plugin: unknown): boolean {
  return textOf(plugin, "changed") === "true" || textOf(plugin, "refused") === "true";
}

function texts(of: unknown, key: string): readonly string[] {
  return listOf(of, key).filter((one) => typeof one === "string");
}
