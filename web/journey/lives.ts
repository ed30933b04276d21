import type { PodState } from "../kube/podstate.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import { listOf } from "../trace/look.ts";
import { textOf } from "../trace/words.ts";
import { REQUEST, WRITE } from "../trace/told.ts";

/*
 * The lives of all pods, as the steps of all commands tell them: where each was bound, when it started, was ready,
 * was to go and was gone. What stood at one moment does not change with what comes later, nor with which command is
 * told. What a step means is often known later only: a request ends, and comes, after what it wrote.
 */

/** Pods and requests that are kept, and what is kept of one pod: its beginning, and its last. */
const MOST_PODS = 4000;
const MOST_ASKS = 20_000;
const MOST_EVENTS = 100;
const FIRST = 40;

type Does =
  | "choose"
  | "put"
  | "create"
  | "bind"
  | "gone"
  | "vanish"
  | "fail"
  | "start"
  | "here"
  | "end"
  | "report";

interface Event {
  readonly id: number;
  readonly at: number;
  readonly does: Does;
  readonly node: string;
  /** The request whose write it is. */
  readonly cause: number;
  /** What a kubelet reports. */
  readonly state?: PodState | undefined;
}

/** From a step on a pod stands so; no state: it is not there. An empty node: nobody told it. */
interface Change {
  readonly id: number;
  readonly at: number;
  readonly node: string;
  readonly state: PodState | undefined;
}

interface Life {
  readonly events: Event[];
  /** The node that was heard of last. */
  node: string;
  /** What the events come to; undefined if there are others now. */
  changes: readonly Change[] | undefined;
}

type Ask = "create" | "bind" | "delete";

export type Standing = ReadonlyMap<string, ReadonlyMap<string, PodState>>;

export class Lives {
  readonly #lives = new Map<string, Life>();
  readonly #asks = new Map<number, Ask>();
  /** The pods that a request wrote of which nothing is known yet. */
  readonly #wrote = new Map<number, string[]>();
  /** The nodes whose kubelets report. A real node tells what its runtime does only: there what has started runs. */
  readonly #reporting = new Set<string>();

  constructor(steps: Iterable<TraceStep> = []) {
    this.take(steps);
  }

  /** All pods that a step was about, each as "namespace/name". */
  get names(): Pick<ReadonlySet<string>, "has"> {
    return this.#lives;
  }

  take(steps: Iterable<TraceStep>): void {
    for (const step of steps) {
      const { id, at, kind, node = "", cause = 0 } = step;
      if (kind === REQUEST) this.#ask(step);
      const does = doesOf(step);
      const pod = does && podOf(step);
      if (!does || !pod) continue;
      if (does === "report" && node !== "" && !this.#reporting.has(node)) {
        this.#reporting.add(node);
        for (const life of this.#lives.values()) life.changes = undefined;
      }
      const to = does === "choose" ? textOf(step.details, "node") : node;
      const state = does === "report" ? reportOf(step.details) : undefined;
      this.#put(pod, { id, at, does, node: to, cause, state });
    }
  }

  /** The page does not see a pod any more, of whose end there may be no step. */
  vanish(pod: string, at: number): void {
    if (this.#lives.has(pod)) this.#put(pod, { id: 0, at, does: "vanish", node: "", cause: 0 });
  }

  /**
   * What stands on each node at a step of a command, whose steps are told in the order of `told`; all others have
   * happened if they began before it. Without a step it is what all of them came to. Of `supposed` ones it is not told
   * how they stand yet.
   */
  at(
    until: TraceStep | undefined,
    told: readonly TraceStep[],
  ): { readonly pods: Standing; readonly supposed: ReadonlySet<string> } {
    const pods = new Map<string, Map<string, PodState>>();
    const supposed = new Set<string>();
    const places = until && placesOf(told);
    const now = until && places?.get(until.id);
    const happened = ({ id, at }: Change): boolean => {
      if (!until) return true;
      const place = places?.get(id);
      if (place !== undefined && now !== undefined) return place <= now;
      return at < until.at || (at === until.at && id < until.id);
    };
    for (const [pod, life] of this.#lives) {
      life.changes ??= changesOf(life.events, this.#asks, this.#reporting);
      const last = life.changes.findLast(happened);
      if (last?.state === undefined) continue;
      if (last.at === -Infinity) supposed.add(pod);
      const there = pods.get(last.node) ?? new Map<string, PodState>();
      pods.set(last.node, there.set(pod, last.state));
    }
    return { pods, supposed };
  }

  #ask({ id, object, details }: TraceStep): void {
    if (object?.resource !== "pods") return;
    const { subresource = "" } = object;
    const verb = textOf(details, "verb");
    const isDelete = verb.startsWith("delete") || subresource === "eviction";
    const isCreate = verb === "create" && subresource === "";
    const ask = isDelete
      ? "delete"
      : subresource === "binding"
        ? "bind"
        : isCreate
          ? "create"
          : undefined;
    if (!ask || this.#asks.has(id)) return;
    this.#asks.set(id, ask);
    dropOver(this.#asks, MOST_ASKS);
    for (const pod of this.#wrote.get(id) ?? []) {
      const life = this.#lives.get(pod);
      if (life) life.changes = undefined;
    }
    this.#wrote.delete(id);
  }

  #put(pod: string, event: Event): void {
    const life = this.#lives.get(pod) ?? { events: [], node: "", changes: undefined };
    const { does, node, id, cause } = event;
    if (does === "put" && !this.#asks.has(cause)) {
      const pods = this.#wrote.get(cause) ?? [];
      pods.push(pod);
      this.#wrote.set(cause, pods);
      dropOver(this.#wrote, MOST_ASKS);
    }
    // A kubelet has very many steps, which all say where it is.
    if (does === "here" && life.node === node) return;
    if (life.events.some((one) => one.id === id && one.does === does && id !== 0)) return;
    if (does !== "choose" && node !== "") life.node = node;
    if (does === "gone") life.node = "";
    life.events.push(event);
    if (life.events.length > MOST_EVENTS) life.events.splice(FIRST, 1);
    life.changes = undefined;
    this.#lives.set(pod, life);
    dropOver(this.#lives, MOST_PODS);
  }
}

/** What happened to one pod, in the order of time. */
function changesOf(
  events: readonly Event[],
  asks: ReadonlyMap<number, Ask>,
  reporting: ReadonlySet<string>,
): readonly Change[] {
  const sorted = events.map((event) => meant(event, asks));
  sorted.sort((a, b) => a.at - b.at || a.id - b.id);
  const born = sorted.findIndex(isBirth);
  const gone = sorted.findIndex(({ does }) => does === "gone");
  // What goes, or does anything, before it was made was there already.
  const isOlder = born < 0 || (gone >= 0 && gone < born);
  const changes: Change[] = [];
  let there = isOlder;
  let goesTo = "";
  let node = "";
  let state: PodState | undefined;
  const put = ({ id, at }: Pick<Event, "id" | "at">, to: string, so: PodState | undefined) => {
    if (to === node && so === state && changes.length > 0) return;
    [node, state] = [to, so];
    changes.push({ id, at, node, state });
  };
  if (isOlder) {
    const until = gone < 0 ? sorted.length : gone;
    put({ id: 0, at: -Infinity }, nodeIn(sorted.slice(0, until)), "running");
  }
  for (const [i, event] of sorted.entries()) {
    const { does } = event;
    // By no kubelet it was placed: it was made for that node, or who bound it is not known.
    const comes = event.node !== "" && there && node === "" && does !== "choose";
    if (comes && !isGoing(state)) put(event, event.node, "pending");
    if (does === "create") {
      there = true;
      put(event, "", undefined);
    } else if (does === "choose") {
      there = true;
      goesTo = event.node;
    } else if (does === "bind") {
      there = true;
      const to = goesTo || nodeIn(sorted.slice(i));
      if (to !== "") put(event, to, "pending");
    } else if (does === "end") {
      if (there && (node !== "" || isOlder)) put(event, node, "terminating");
    } else if (does === "gone" || (does === "vanish" && gone < 0)) {
      there = false;
      goesTo = "";
      put(event, "", undefined);
    }
    if (event.node !== node || node === "" || isGoing(state)) continue;
    if (does === "fail") put(event, node, "failing");
    if (does === "start") put(event, node, reporting.has(node) ? "unready" : "running");
    const has = state === "unready" || state === "running";
    if (does === "report" && event.state !== undefined && has) put(event, node, event.state);
  }
  return changes;
}

/** A write means what its request asked for. */
function meant(event: Event, asks: ReadonlyMap<number, Ask>): Event {
  if (event.does !== "put") return event;
  const ask = asks.get(event.cause);
  if (ask === "delete") return { ...event, does: "end" };
  return ask === undefined ? event : { ...event, does: ask };
}

const isBirth = ({ does }: Event) => does === "create" || does === "choose" || does === "bind";
const isGoing = (state: PodState | undefined) => state === "terminating";

const nodeIn = (events: readonly Event[]) =>
  events.find(({ does, node }) => does !== "choose" && node !== "")?.node ?? "";

/** What a step does to the pod that it is about; undefined if that is nothing, and it says not where it is. */
function doesOf({ kind, node = "", details }: TraceStep): Does | undefined {
  if (WRITE.test(kind)) {
    if (textOf(details, "succeeded") === "false") return undefined;
    return kind === "etcd.delete" ? "gone" : "put";
  }
  if (kind === "scheduler.bind") return "choose";
  if (kind === "kubelet.status") return "report";
  if (kind.startsWith("cri.") && textOf(details, "error") !== "") return "fail";
  if (kind === "cri.StartContainer") return "start";
  return node === "" ? undefined : "here";
}

function reportOf(details: unknown): PodState | undefined {
  if (textOf(details, "phase") === "Succeeded") return "succeeded";
  const conditions = listOf(details, "conditions");
  if (conditions.includes("Ready=True")) return "running";
  return conditions.includes("Ready=False") ? "unready" : undefined;
}

/** Where each step of a command is told. */
function placesOf(told: readonly TraceStep[]): ReadonlyMap<number, number> {
  const known = places.get(told);
  if (known) return known;
  const made = new Map(told.map(({ id }, i) => [id, i]));
  places.set(told, made);
  return made;
}

const places = new WeakMap<readonly TraceStep[], ReadonlyMap<number, number>>();

/** The pod that a step is about, as "namespace/name"; empty if it is about none. */
function podOf({ kind, object, details }: TraceStep): string {
  if (object?.name && object.resource === "pods") return podName(object);
  // Of many that are deleted at once only the key names each.
  if (!kind.startsWith("etcd.")) return "";
  const [, , resource, namespace = "", name = ""] = textOf(details, "key").split("/");
  return resource === "pods" && name !== "" ? `${namespace}/${name}` : "";
}

const podName = ({ namespace = "", name = "" }: NonNullable<TraceStep["object"]>) =>
  `${namespace}/${name}`;

function dropOver(kept: Map<unknown, unknown>, most: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(oldest);
  }
}
