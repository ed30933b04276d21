import type { TraceStep } from "../rpc/protocol.ts";
import { listOf } from "../trace/look.ts";
import { waitsFor } from "../trace/reported.ts";
import { above } from "../trace/told.ts";
import { actorOf, textOf } from "../trace/words.ts";

/*
 * Which steps are alike: those that came about in the same way, by kinds alone. What happens to the third pod of a
 * ReplicaSet is what happened to its first.
 *
 * Work on an item often comes of work on the same item. A worker that fails tries again at once: that is told twice,
 * the first time, and that it came again. And a rollout goes round: of a new pod that is ready comes the next one. That
 * a controller came back to the item is told once, and all that it does there is alike to what it did the first time.
 */

/** Steps that are alike however they come about: a sync that is tried again finds its volumes mounted. */
const ONCE: ReadonlySet<string> = new Set(["kubelet.volume"]);

/** What a controller's worker does about an item. */
const WORK = "controllers.reconcile";

/** What is known of a step. */
interface Way {
  /** Steps are alike if this is the same. */
  readonly way: string;
  /** The same for those below it. */
  readonly below: string;
  /** The work that it is a part of, or is. */
  readonly within: Work | undefined;
}

/** Work on an item. */
interface Work extends Omit<Way, "within"> {
  readonly id: number;
  readonly item: string;
  /** Work on the same item of which this came; undefined if it is the first. */
  readonly first: Work | undefined;
  /** It came of the very work before it. */
  readonly isRetry: boolean;
  /** The work of which it came. */
  readonly above: Work | undefined;
}

/** The ways by which the steps of a tree came about. */
export class Alike {
  readonly #byId: ReadonlyMap<number, TraceStep>;
  readonly #known = new Map<number, Way>();
  /** Ways are as long as their trees are deep: each is known by a number to those below it. */
  readonly #numbers = new Map<string, string>();

  constructor(byId: ReadonlyMap<number, TraceStep>) {
    this.#byId = byId;
  }

  /** The way of a step, which all have that are alike. */
  of(step: TraceStep): string {
    // From above: a tree may be deeper than calls can be.
    const unknown: TraceStep[] = [];
    let at: TraceStep | undefined = step;
    for (; at && !this.#known.has(at.id); at = above(this.#byId, at)) unknown.push(at);
    let way = at && this.#known.get(at.id);
    for (const one of unknown.reverse()) {
      way = this.#learn(one, way);
      this.#known.set(one.id, way);
    }
    return way?.way ?? "";
  }

  #learn(step: TraceStep, cause: Way | undefined): Way {
    const way = `${cause && !ONCE.has(step.kind) ? cause.below : ""}/${ownOf(step)}`;
    const made = { way, below: this.#number(way), within: cause?.within };
    if (step.kind !== WORK) return made;
    const { id } = step;
    const item = `${textOf(step.details, "queue")} ${textOf(step.details, "item")}`;
    const before = workOn(item, cause?.within);
    const first = before?.first ?? before;
    const isRetry = before !== undefined && before.id === step.cause;
    const again = isRetry ? (before.isRetry ? before : undefined) : first && cameAgain(first);
    const its = { way: again?.way ?? way, below: again?.below ?? made.below };
    const within = { ...its, id, item, first, isRetry, above: cause?.within };
    return { ...its, within };
  }

  #number(way: string): string {
    const known = this.#numbers.get(way) ?? String(this.#numbers.size);
    this.#numbers.set(way, known);
    return known;
  }
}

/** That a controller came back to an item: what it does there is what it did the first time. */
const cameAgain = ({ way, below }: Work) => ({ way: `${way} again`, below });

/** The latest work on an item among those that came of each other. */
function workOn(item: string, latest: Work | undefined): Work | undefined {
  for (let at = latest; at; at = at.above) if (at.item === item) return at;
  return undefined;
}

/** What a step is by itself, without its names. */
function ownOf(step: TraceStep): string {
  const { kind, object, details } = step;
  return [
    kind,
    object?.resource,
    object?.subresource,
    actorOf(step),
    textOf(details, "verb"),
    // Another refusal is another story, and so is another reason to wait.
    // It quotes the name of what it is about, which is another one's each time.
    (textOf(details, "message") || textOf(details, "error")).replaceAll(/"[^"]*"/g, '""'),
    kind === "kubelet.status" ? waitsFor(listOf(details, "containers")) : "",
    // Who came too late tries again, and that is what it comes to.
    textOf(details, "succeeded") === "false" ? "in vain" : "",
  ].join(" ");
}
