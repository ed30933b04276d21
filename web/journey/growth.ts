import type { EtcdObject, TraceObject, TraceStep } from "../rpc/protocol.ts";
import type { TraceFeed } from "../trace/feed.ts";
import { above } from "../trace/told.ts";
import { actorOf, textOf } from "../trace/words.ts";
import { BEFORE, DEFAULTS, ETCD, markOf, NOT_KNOWN, REGISTRY, type Mark } from "./authors.ts";
import { listKeys, type ListKeys } from "./merge-keys.ts";
import { Tree, type Json } from "./tree.ts";
import { before, type How } from "./versions.ts";

/*
 * How an object came to be what it is: field by field, each with who set it. The first version is told by
 * the steps of the request that created it (what was sent, defaults, admission plugins, the registry);
 * later ones are read from the store, revision by revision. Nothing is made up: what no step tells of is
 * whose request wrote that revision.
 */

/** What it asks. */
export interface GrowthNeeds {
  readonly trace: Pick<TraceFeed, "steps" | "details">;
  readonly etcd: {
    object(key: string, how: How): Promise<EtcdObject>;
  };
}

/** One line of the object, and who set it. */
export interface GrownLine {
  readonly text: string;
  readonly by: string;
  readonly mark: Mark;
  /** It was not there, or otherwise, before the step that is looked at. */
  readonly fresh: boolean;
}

export interface Grown {
  /** "deployments default/nginx". */
  readonly name: string;
  readonly lines: readonly GrownLine[];
  /** Versions that the store had forgotten when they were asked for: what they changed is nobody's here. */
  readonly forgotten: number;
  /** What is said where there are no lines yet; empty if the command never writes it. */
  readonly awaited: string;
}

/** Stands where a step or a version has no value that may be secret (core/trace, Withheld). */
const WITHHELD = "(not kept)";

/** The object that a step is about, or else the one of what caused it; undefined if there is none. */
function subjectOf(
  step: TraceStep,
  steps: readonly TraceStep[],
): (TraceObject & { resource: string; name: string }) | undefined {
  const byId = new Map(steps.map((one) => [one.id, one]));
  const created = (id: number) =>
    steps.find((one) => one.cause === id && one.kind === "apiserver.request")?.object;
  let at: TraceStep | undefined = step;
  while (at) {
    const object = at.object ?? (at.kind.startsWith("kubectl.") ? created(at.id) : undefined);
    if (object?.resource && object.name && object.resource !== "events") {
      return { ...object, resource: object.resource, name: object.name };
    }
    at = above(byId, at);
  }
  // Before the first request the command's own object is not sent yet: it is about to be, unless it is a dry run's.
  if (textOf(step.details, "dryRun") !== "") return undefined;
  const first = steps.find(({ kind, object }) => kind === "apiserver.request" && object?.name);
  return first?.object?.resource && first.object.name && step.kind === "kubectl.object"
    ? { ...first.object, resource: first.object.resource, name: first.object.name }
    : undefined;
}

/** The object as it was when `until` had ended, and what of it `until` has changed. */
export async function grown(
  on: GrowthNeeds,
  steps: readonly TraceStep[],
  until: TraceStep,
): Promise<Grown | undefined> {
  const subject = subjectOf(until, steps);
  if (!subject) return undefined;
  const tree = new Tree();
  const requests = steps.filter(
    ({ kind, object }) => kind === "apiserver.request" && same(object, subject),
  );
  // A Binding is created as well, of a pod that is there.
  const first = requests.find(
    ({ details, object }) => textOf(details, "verb") === "create" && !object?.subresource,
  );
  const within = steps.slice(0, steps.findIndex(({ id }) => id === until.id) + 1);
  let forgotten = 0;
  const writes = steps.filter(
    ({ kind, cause, object, details }) =>
      kind === "etcd.put" &&
      same(object, subject) &&
      textOf(details, "revision") !== "" &&
      requests.some(({ id }) => id === cause),
  );
  /** What was sent has been told: the rest of what is created is the server's. */
  let sent = false;
  let lost = !first && writes[0] !== undefined && !(await meetBefore(on, tree, writes[0]));
  for (const step of within) {
    tree.begin(step === until);
    const request = requests.find(({ id }) => id === step.cause);
    if (step.kind === "kubectl.object" && first && sibling(step, first, steps)) {
      const object = await whole(on, step, "object");
      if (object !== undefined) {
        tree.meet(object, "kubectl");
        sent = true;
      }
    } else if (request && request === first) {
      sent = (await applyCreation(on, tree, step, requester(request, steps))) || sent;
    }
    if (request && writes.includes(step)) {
      const object = await written(on, step);
      if (object === undefined) {
        forgotten++;
        lost = true;
      } else {
        // The steps of a creation do not tell all that the server adds: it is not who writes it next that did.
        const by = request === first && sent ? DEFAULTS : author(request, steps);
        tree.meet(object.value, lost ? NOT_KNOWN : by, WITHHELD, object.keys);
        lost = false;
      }
      const revision = textOf(step.details, "revision");
      if (tree.known && revision !== "") tree.set(".metadata.resourceVersion", revision, ETCD);
    }
  }
  const { resource, namespace, name } = subject;
  const asked = first ? requester(first, steps) : "";
  const lines = tree.lines().map((line) => ({ ...line, mark: markOf(line.by, asked) }));
  const awaited = first ? "It is not there yet." : "What it was before is not held any more.";
  return {
    name: `${resource} ${namespace ? `${namespace}/` : ""}${name}`,
    lines,
    forgotten,
    awaited: writes.length > 0 && lines.length === 0 ? awaited : "",
  };
}

/** The object as the command has found it; false if its first write says that it was there, and that is forgotten. */
async function meetBefore(on: GrowthNeeds, tree: Tree, write: TraceStep): Promise<boolean> {
  const previous = before(write);
  if (!previous) return true;
  const { details } = previous;
  const object = await written(on, previous);
  if (!object) return false;
  tree.meet(object.value, BEFORE, WITHHELD, object.keys);
  tree.set(".metadata.resourceVersion", textOf(details, "revision"), BEFORE);
  return true;
}

/**
 * What is shown at a step: what was found for it, or if that is about no object what was there before, as long
 * as it is one command's.
 */
export class Shown {
  now: Grown | undefined;
  /** The step that it belongs to. */
  #of: TraceStep | undefined;
  #command: number | undefined;

  /** What is shown belongs to one command. */
  begin(command: number | undefined): void {
    if (command === this.#command) return;
    this.#command = command;
    this.clear();
  }

  clear(): void {
    this.now = undefined;
    this.#of = undefined;
  }

  found(step: TraceStep, found: Grown | undefined): void {
    // Who goes back to before it was made is shown nothing of what comes.
    const earlier = this.#of && step.at < this.#of.at;
    if (!found && !earlier) return;
    this.now = found && (found.lines.length > 0 || found.awaited !== "") ? found : undefined;
    this.#of = step;
  }
}

/** What a step of the request that creates an object says of it; true if that is what was sent. */
async function applyCreation(
  on: GrowthNeeds,
  tree: Tree,
  step: TraceStep,
  by: string,
): Promise<boolean> {
  let told = false;
  if (step.kind === "apiserver.decoded") {
    const sent = await whole(on, step, "sent");
    told = sent !== undefined;
    if (told) tree.meet(sent, by, WITHHELD);
    tree.change(listOf(await whole(on, step, "changed")), DEFAULTS);
  }
  if (step.kind === "admission.mutating") {
    for (const plugin of listOf(await whole(on, step, "plugins"))) {
      tree.change(listOf(field(plugin, "changed")), textOf(plugin, "name"));
    }
  }
  if (step.kind === "registry.created") {
    tree.change(listOf(await whole(on, step, "changed")), REGISTRY);
  }
  return told;
}

/** A part of a step's details in whole; undefined if the cluster does not hold it any more. */
async function whole(on: GrowthNeeds, step: TraceStep, part: string): Promise<unknown> {
  const told = step.brief ? await on.trace.details(step.id) : step;
  return field(told?.details, part);
}

/** The object as a step wrote it; undefined if the store has forgotten it. */
async function written(
  on: GrowthNeeds,
  { details }: TraceStep,
): Promise<{ readonly value: Json; readonly keys: ListKeys } | undefined> {
  const revision = Number(textOf(details, "revision"));
  if (!revision) return undefined;
  try {
    const how = { revision, format: "json", cut: true } as const;
    const { text } = await on.etcd.object(textOf(details, "key"), how);
    const object = JSON.parse(text) as Record<string, Json>;
    const { metadata } = object;
    let keys: ListKeys = new Map();
    if (typeof metadata === "object" && metadata && !Array.isArray(metadata)) {
      keys = listKeys(metadata.managedFields);
      delete metadata.managedFields;
      delete metadata.resourceVersion;
    }
    return { value: object, keys };
  } catch {
    return undefined;
  }
}

/** Subresources to which something else is sent than what is written: the API server sets fields by it. */
const SENT: Readonly<Record<string, string>> = {
  binding: "its Binding",
  eviction: "its Eviction",
  scale: "its Scale",
};

/** Who has set what a request wrote: who sent it, and by what if it was not the object itself. */
function author(request: TraceStep, steps: readonly TraceStep[]): string {
  const { subresource = "" } = request.object ?? {};
  const sent = Object.hasOwn(SENT, subresource) ? SENT[subresource] : undefined;
  const by = requester(request, steps);
  return sent === undefined ? by : `${by}, by ${sent}`;
}

/** Who sent a request: what caused it acts. */
function requester({ cause = 0, details }: TraceStep, steps: readonly TraceStep[]): string {
  const direct = steps.find(({ id }) => id === cause);
  // A batch is part of the work that names the controller.
  const by =
    direct?.kind === "controllers.batch"
      ? (steps.find(({ id }) => id === direct.cause) ?? direct)
      : direct;
  if (!by) return textOf(details, "agent") || "a client";
  if (by.kind.startsWith("scheduler.")) return "kube-scheduler";
  if (by.kind.startsWith("kubelet.") || by.node) return `kubelet${by.node ? ` of ${by.node}` : ""}`;
  if (by.kind.startsWith("etcd.")) return "a controller";
  return actorOf(by);
}

/** Whether kubectl's object is the one that a request brought: both are of one command. */
function sibling(step: TraceStep, request: TraceStep, steps: readonly TraceStep[]): boolean {
  const sent = steps.find(({ id }) => id === request.cause);
  if (sent?.kind !== "kubectl.request" || sent.cause !== step.cause) return false;
  return (
    textOf(step.details, "name") === "" || textOf(step.details, "name") === request.object?.name
  );
}

function same(a: TraceObject | undefined, b: TraceObject): boolean {
  return (
    a !== undefined &&
    a.resource === b.resource &&
    a.name === b.name &&
    (a.group ?? "") === (b.group ?? "") &&
    (a.namespace ?? "") === (b.namespace ?? "")
  );
}

function field(of: unknown, key: string): unknown {
  return typeof of === "object" && of !== null ? (of as Record<string, unknown>)[key] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
