import type { Call, RpcClient } from "../rpc/client.ts";
import { kindKey } from "../rpc/kind-key.ts";
import type { KindsResult, TraceKind, TraceLine, TraceParams, TraceStep } from "../rpc/protocol.ts";
import { reason } from "../rpc/reason.ts";
import type { Disposable } from "../state/disposable.ts";
import { Signal } from "../state/signal.ts";
import { Store } from "../state/store.ts";
import { Causes } from "./causes.ts";
import { Told } from "./told.ts";

/** How many steps the page keeps of what the cluster did: as many as its ring (core/trace, MaxSteps). */
export const MAX_STEPS = 20_000;

/** How many of them of the start, besides: they are not pushed out by what comes later (startSteps). */
export const MAX_START = 5_000;

/**
 * Milliseconds in which what comes is one change: the views draw no more often than that, and what is found for
 * one of them is there for the others.
 */
const TOGETHER = 100;

/** What the page asks the worker with. */
export type TraceClient = Pick<RpcClient, "call">;

/**
 * What the cluster does, step by step, while somebody follows. It begins with what the cluster still
 * holds, so that a view that opens late sees what was before.
 */
export class Trace implements Disposable {
  /** Goes up by one with each change: what a view subscribes to. */
  readonly version = new Store<number, "changed">((old) => old + 1, 0);
  /** The steps that have come, at once and each of them once. */
  readonly arrivals = new Signal<readonly TraceStep[]>();
  /** How many steps went before they could be read, and why there is nothing more if so. */
  missed = 0;
  problem = "";

  readonly #client: TraceClient;
  readonly #steps = new Map<number, TraceStep>();
  readonly #causes = new Causes();
  readonly #start = new Oldest(this.#steps, (step) => isStart(step));
  readonly #live = new Oldest(this.#steps, (step) => !isStart(step));
  readonly #told = new Told();
  /** What `tree` has found since the last change. */
  readonly #trees = new Map<number, { step: TraceStep; depth: number }[]>();
  #changedAt = -Infinity;
  #telling: ReturnType<typeof setTimeout> | undefined;
  #kinds: Promise<KindsResult> | undefined;
  #followers = 0;
  #call: Call<unknown> | undefined;

  constructor(client: TraceClient) {
    this.#client = client;
  }

  /** The steps that are held, in the order in which they ended. */
  get steps(): ReadonlyMap<number, TraceStep> {
    return this.#steps;
  }

  /** The steps drawn under one, in the order in which they began. */
  under(id: number): TraceStep[] {
    const steps = this.#causes.of(id).map((child) => this.#steps.get(child));
    return steps.filter((step) => step !== undefined).sort((a, b) => a.at - b.at || a.id - b.id);
  }

  /** A step and all that it caused, each before what it caused itself, as of the last change. */
  tree(id: number): readonly { step: TraceStep; depth: number }[] {
    const known = this.#trees.get(id);
    if (known) return known;
    const found: { step: TraceStep; depth: number }[] = [];
    const walk = (step: TraceStep, depth: number) => {
      found.push({ step, depth });
      for (const child of this.under(step.id)) walk(child, depth + 1);
    };
    const root = this.#steps.get(id);
    if (root) walk(root, 0);
    this.#trees.set(id, found);
    return found;
  }

  /** The kinds of steps by `kindKey`, with their chapter and their line of upstream's source. */
  async kinds(): Promise<ReadonlyMap<string, TraceKind>> {
    this.#kinds ??= this.#client.call("kinds", {}).result;
    const { kinds } = await this.#kinds;
    return new Map(kinds.map((kind) => [kindKey(kind), kind]));
  }

  /** One step with its details; undefined if the cluster does not hold it any more. */
  async details(id: number): Promise<TraceStep | undefined> {
    return this.#client.call("step", { id }).result.catch(() => undefined);
  }

  /** The whole trace, or what one step caused, as a document of JSON. */
  async export(id?: number): Promise<string> {
    const parts: string[] = [];
    const decoder = new TextDecoder();
    const call = this.#client.call("export", id === undefined ? {} : { id }, {
      data: (chunk) => {
        parts.push(decoder.decode(chunk, { stream: true }));
        return undefined;
      },
    });
    await call.result;
    return parts.join("") + decoder.decode();
  }

  /** Reads as long as at least one follower is there. */
  follow(): Disposable {
    this.#followers++;
    this.#open();
    let following = true;
    return {
      dispose: () => {
        if (!following) return;
        following = false;
        if (--this.#followers === 0) this.#close();
      },
    };
  }

  dispose(): void {
    this.#close();
    clearTimeout(this.#telling);
  }

  #open(): void {
    if (this.#call) return;
    // What is held is sent anew: it is the same steps under the same numbers. What has gone is counted anew.
    this.missed = 0;
    // Details are asked for where a step is looked at: making all of them would cost the cluster much.
    const params: TraceParams = {};
    const decoder = new TextDecoder();
    let rest = "";
    const call = this.#client.call("trace", params, {
      data: (chunk) => {
        if (this.#call !== call) return undefined;
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        const fresh = lines.flatMap((line) => this.#take(JSON.parse(line) as TraceLine) ?? []);
        if (fresh.length > 0) this.arrivals.emit(fresh);
        if (lines.length > 0) this.#changed();
        return undefined;
      },
    });
    this.#call = call;
    this.problem = "";
    const ended = (problem: string) => {
      if (this.#call !== call) return;
      this.#call = undefined;
      this.problem = problem;
      this.#changed();
    };
    call.result.then(
      () => ended(""),
      (error: unknown) => ended(reason(error)),
    );
  }

  #close(): void {
    const call = this.#call;
    this.#call = undefined;
    call?.cancel();
  }

  #changed(): void {
    this.#telling ??= setTimeout(
      () => {
        this.#telling = undefined;
        this.#changedAt = performance.now();
        this.#trees.clear();
        this.version.dispatch("changed");
      },
      Math.max(0, this.#changedAt + TOGETHER - performance.now()),
    );
  }

  /** Takes a line in, and gives the step that came with it. */
  #take(line: TraceLine): TraceStep | undefined {
    if ("missed" in line) {
      this.missed += line.missed;
      return undefined;
    }
    const { step } = line;
    if (this.#steps.has(step.id)) return undefined;
    this.#steps.set(step.id, step);
    // A cause began before what it caused: nothing can be under itself.
    if (step.cause && step.cause < step.id) this.#causes.add(step.cause, step.id);
    if (step.told) this.#forget(this.#told.add(step.node ?? "", step.id));
    else if (isStart(step)) this.#forget(this.#start.added(MAX_START));
    else this.#forget(this.#live.added(MAX_STEPS));
    return step;
  }

  #forget(id: number | undefined): void {
    const step = id === undefined ? undefined : this.#steps.get(id);
    if (id === undefined || !step) return;
    this.#steps.delete(id);
    this.#causes.forget(id, step.cause);
  }
}

const isStart = ({ chapter }: TraceStep) => chapter === "start";

/** Counts those steps that are `of` its kind and told by no node, and says which of them goes for a new one. */
class Oldest {
  readonly #next: Generator<number, undefined>;
  #held = 0;

  constructor(steps: ReadonlyMap<number, TraceStep>, of: (step: TraceStep) => boolean) {
    // Not from the beginning each time: a Map walks over what has been deleted there.
    this.#next = (function* () {
      for (const step of steps.values()) if (!step.told && of(step)) yield step.id;
      return undefined;
    })();
  }

  /** One more is there. The oldest of them goes if those are more than `most`. */
  added(most: number): number | undefined {
    if (++this.#held <= most) return undefined;
    this.#held--;
    return this.#next.next().value;
  }
}
