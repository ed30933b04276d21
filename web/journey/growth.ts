import type { EtcdObject, TraceObject, TraceStep } from "../rpc/protocol.ts";
import type { TraceFeed } from "../trace/feed.ts";
import { above, REQUEST, turnsBack, WRITE } from "../trace/told.ts";
import { partOf } from "../trace/within.ts";
import { textOf } from "../trace/words.ts";
import { BEFORE, DEFAULTS, ETCD, markOf, NOT_KNOWN, REGISTRY, type Mark } from "./authors.ts";
import { listKeys, type ListKeys } from "./merge-keys.ts";
import { requester } from "./requester.ts";
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
  /** So it was, and others have written it since the last step that was told. */
  readonly meanwhile?: boolean;
}

export interface Grown {
  /** "deployments default/nginx". */
  readonly name: string;
  readonly lines: readonly GrownLine[];
  /** Versions that the store had forgotten when they were asked for: what they changed is nobody's here. */
  readonly forgotten: number;
  /** How far it is from being stored; empty if it is, or if the command never writes it. */
  readonly awaited: string;
  /** Of its writes that are not told those since it was last told of; empty if there are none. */
  readonly meanwhile: string;
}

/** Stands where a step or a version has no value that may be secret (core/trace, Withheld). */
const WITHHELD = "(not kept)";

type Subject = TraceObject & { resource: string; name: string };

/** The object that a step is about, or else the one of what caused it; undefined if there is none. */
function subjectsIn(steps: readonly TraceStep[]): (step: TraceStep) => Subject | undefined {
  const byId = new Map(steps.map((one) => [one.id, one]));
  const created = (id: number) =>
    steps.find((one) => one.cause === id && one.kind === REQUEST)?.object;
  // Before the first request the command's own object is not sent yet.
  const first = steps.find(({ kind, object }) => kind === REQUEST && object?.name)?.object;
  return (step) => {
    let at: TraceStep | undefined = step;
    while (at) {
      const object = at.object ?? (at.kind.startsWith("kubectl.") ? created(at.id) : undefined);
      if (object?.resource && object.name && object.resource !== "events") {
        return { ...object, resource: object.resource, name: object.name };
      }
      at = above(byId, at);
    }
    // It is about to be, unless it is a dry run's.
    if (textOf(step.details, "dryRun") !== "") return undefined;
    return first?.resource && first.name && step.kind === "kubectl.object"
      ? { ...first, resource: first.resource, name: first.name }
      : undefined;
  };
}

/**
 * The object as it was when `until` had ended, and what of it has changed since the last of the `told` steps that was
 * about it. A step about none stands where the one before it does.
 */
export async function grown(
  on: GrowthNeeds,
  steps: readonly TraceStep[],
  until: TraceStep,
  told: readonly TraceStep[] = steps,
): Promise<Grown | undefined> {
  const subjectOf = subjectsIn(steps);
  const before = told.slice(0, Math.max(0, told.indexOf(until)));
  const subject = subjectOf(until) ?? subjectOf(before.findLast(subjectOf) ?? until);
  if (!subject) return undefined;
  const tree = new Tree();
  const requests = steps.filter(({ kind, object }) => kind === REQUEST && same(object, subject));
  // A Binding is created as well, of a pod that is there.
  const first = requests.find(
    ({ details, object }) => textOf(details, "verb") === "create" && !object?.subresource,
  );
  const within = steps.slice(0, steps.findIndex(({ id }) => id === until.id) + 1);
  let forgotten = 0;
  const byId = new Map(steps.map((one) => [one.id, one]));
  // One that is deleted with others has a request that is about all of them.
  const requestOf = ({ cause = 0 }: TraceStep) =>
    byId.get(cause)?.kind === REQUEST ? byId.get(cause) : undefined;
  const done = steps.filter(
    (one) =>
      WRITE.test(one.kind) &&
      same(one.object, subject) &&
      textOf(one.details, "revision") !== "" &&
      textOf(one.details, "succeeded") !== "false" &&
      requestOf(one) !== undefined,
  );
  const writes = done.filter(({ kind }) => kind === "etcd.put");
  const last = before.findLast((one) => same(subjectOf(one), subject));
  /** What comes after this one has not been seen. Of what was never told of only `until` is new. */
  const seen = last ? within.indexOf(last) : within.length - 2;
  /** What was sent has been told: the rest of what is created is the server's. */
  let sent = false;
  let lost = !first && done[0] !== undefined && !(await meetBefore(on, tree, done[0]));
  const own = requestAbove(until, byId);
  for (const [at, step] of within.entries()) {
    const request = requestOf(step);
    tree.begin(at > seen, writes.includes(step) && request !== own);
    if (step.kind === "kubectl.object" && first && sibling(step, first, steps)) {
      const object = await whole(on, step, "object");
      if (object !== undefined) {
        tree.meet(object, "kubectl");
        sent = true;
      }
    } else if (step === first && !sent) {
      sent = await applySent(on, tree, step, steps);
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
  const gone = !first && lines.length === 0 ? "What it was before is not held any more." : "";
  const passed = within.filter((one, at) => at > seen && one !== until && writes.includes(one));
  // A command that never writes it has nothing to show of it.
  if (lines.length === 0 && done.length === 0) return undefined;
  const end = within.findLast((one) => done.includes(one));
  const refusal = steps.find((one) => one.cause === first?.id && turnsBack(one, byId));
  return {
    name: `${resource} ${namespace ? `${namespace}/` : ""}${name}`,
    lines,
    forgotten,
    awaited:
      end?.kind === "etcd.delete"
        ? `Deleted, at revision ${textOf(end.details, "revision")}: this is what it was last.`
        : first && (done.length > 0 || refusal)
          ? stageOf(first, until, within, writes, refusal)
          : gone,
    meanwhile: passedBy(passed, requestOf, steps),
  };
}

/** The request that a step is, or is done for. */
function requestAbove(step: TraceStep, byId: ReadonlyMap<number, TraceStep>) {
  let at: TraceStep | undefined = step;
  while (at && at.kind !== REQUEST) at = partOf(byId, at);
  return at;
}

/** Fields that the server counts on with each write, and times that come with what else changes. */
const COUNTS = /^\W*(resourceVersion|generation|observedGeneration|last\w+Time|\w*Timestamp):/;

/**
 * Which of the lines one looks for; -1 if none is new. Each write has a new version, and many a new generation: it is
 * what else that brought.
 */
export function lookedFor(lines: readonly GrownLine[]): number {
  const said = lines.findIndex(({ fresh, text }) => fresh && !COUNTS.test(text));
  return said >= 0 ? said : lines.findIndex(({ fresh }) => fresh);
}

/** Whether a step changes the object, and not only what is counted with each write, or has no value yet. */
export function changes(lines: readonly GrownLine[]): boolean {
  return lines.some(
    ({ fresh, text }) => fresh && !COUNTS.test(text) && !/: (\{\}|\[\])$/.test(text),
  );
}

/** How far an object is that is to be created, until its write is told. */
function stageOf(
  first: TraceStep,
  until: TraceStep,
  within: readonly TraceStep[],
  writes: readonly TraceStep[],
  refusal: TraceStep | undefined,
): string {
  if (refusal && within.includes(refusal)) return "Refused: nothing of it is stored.";
  if (within.some((one) => writes.includes(one))) return "";
  if (within.includes(first) && until !== first) return "At the API server: not stored yet.";
  const isSent = within.some(
    (one) => one === first || (one.kind === "kubectl.request" && one.id === first.cause),
  );
  return isSent ? "On its way to the API server: not stored yet." : "Not sent yet.";
}

/** Writes that no step tells slowly: of which revisions they are, and whose. */
function passedBy(
  passed: readonly TraceStep[],
  requestOf: (write: TraceStep) => TraceStep | undefined,
  steps: readonly TraceStep[],
): string {
  if (passed.length === 0) return "";
  const whose = passed.flatMap((write) => {
    const request = requestOf(write);
    return request ? [requester(request, steps)] : [];
  });
  const [first = "", ...more] = passed.map(({ details }) => textOf(details, "revision"));
  const several =
    more.length > 2 ? `${passed.length} revisions` : `revisions ${[first, ...more].join(", ")}`;
  const which = more.length === 0 ? `revision ${first}` : several;
  return `Written meanwhile: ${which}, by ${[...new Set(whose)].join(" and ")}.`;
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

/** What a request carries to the server, as the server tells when it has read it; false if that is not held. */
async function applySent(
  on: GrowthNeeds,
  tree: Tree,
  request: TraceStep,
  steps: readonly TraceStep[],
): Promise<boolean> {
  const decoded = steps.find(
    ({ kind, cause }) => kind === "apiserver.decoded" && cause === request.id,
  );
  const sent = decoded && (await whole(on, decoded, "sent"));
  if (sent === undefined) return false;
  tree.meet(sent, requester(request, steps), WITHHELD);
  return true;
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
