import { STEPS } from "../boot/boot.ts";
import {
  clusterBehind,
  createCluster,
  downloadSize,
  STOPPED,
  type EmbeddedCluster,
} from "../sdk/create.ts";
import { CallError } from "../rpc/client.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { ClusterEvents } from "../sdk/events.ts";
import { LESSON_SHELL, madeFor } from "../sdk/lesson.ts";
import type { ClusterOptions } from "../sdk/options.ts";
import type { Disposable } from "../state/disposable.ts";
import type { Readable } from "../state/store.ts";
import type { Ran } from "../term/ran.ts";
import { InSight, Sleep } from "./sleep.ts";

/** A block that can be folded. */
interface Foldable {
  fold(): void;
}

/** What others know of a line that was run. */
export type Run = Pick<Ran, "line" | "session" | "began" | "ended">;

/** A terminal that is open, as others over the same cluster use it. */
export interface OpenTerminal {
  /** The name of its shell. */
  readonly shell: string;
  /** Something runs in it. */
  readonly busy: boolean;
  /** The lines that were run in it, where a guide of another element may listen. */
  readonly runs?: Readable<readonly Run[]>;
  /** Types lines, runs them as one and gives the exit code. */
  execute(lines: string, signal: AbortSignal): Promise<number>;
  /** Types a line and runs it. */
  run(line: string): void;
  /** Puts a line at the prompt and leaves it there. */
  type(line: string): void;
  focus(): void;
}

/** A guide that is open, as lessons over the same cluster lead to it. */
export interface OpenGuide {
  /** Opens a chapter. */
  read(chapter: string): void;
  /** Goes where the last command goes. */
  follow(): void;
}

/** What those over each cluster share, by the cluster: a page may name it to any of them. */
const shares = new WeakMap<EmbeddedCluster, SharedCluster>();

/** What is shared by all that stands over a cluster that there is already. */
export function sharedOver(cluster: EmbeddedCluster): SharedCluster {
  return shares.get(cluster) ?? new SharedCluster(cluster);
}

let ofPage: SharedCluster | undefined;

/** What is shared by all elements and blocks of a page that name no cluster. */
export function sharedOfPage(): SharedCluster {
  ofPage ??= new SharedCluster({});
  return ofPage;
}

/**
 * The one cluster of a page's blocks and elements. It starts when the first of them wants it, and sleeps
 * while none of them is in sight, unless it is to stay `awake`. One that the page has made is the page's: it
 * does not sleep, is not ended, and none is made in its place.
 */
export class SharedCluster {
  #options: ClusterOptions;
  /** The page has made it. */
  readonly #given: boolean;
  #cluster: EmbeddedCluster | undefined;
  #front: Foldable | undefined;
  #begins: (() => void) | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #terminals = new Set<OpenTerminal>();
  readonly #guides = new Set<OpenGuide>();
  /** Shells of lessons that no terminal shows. */
  readonly #shells = new Set<string>();
  readonly #opening = new Set<Promise<void>>();
  readonly #awake: boolean;
  #elements: InSight | undefined;
  #sleep: Sleep | undefined;
  readonly #end = new AbortController();

  constructor(from: ClusterOptions | EmbeddedCluster, awake = false) {
    this.#awake = awake;
    this.#given = "kubectl" in from;
    this.#options = "kubectl" in from ? {} : from;
    if ("kubectl" in from) this.#take(from);
  }

  #take(given: EmbeddedCluster): void {
    this.#cluster = given;
    shares.set(given, this);
    if (madeFor(given)) this.offer(LESSON_SHELL);
    const boot = bootOf(given);
    const told = boot?.subscribe(({ fault }) => {
      if (fault?.message !== STOPPED.message) return;
      told?.dispose();
      this.#end.abort();
    });
  }

  /** Aborted when nothing can be run in it any more. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  get begun(): boolean {
    return this.#cluster !== undefined;
  }

  /** Whether a block is the first of them, which is told then when the cluster begins to start. */
  first(begins: () => void): boolean {
    if (this.#begins) return false;
    this.#begins = begins;
    return true;
  }

  /** Calls `listener` whenever the cluster has begun to start, and when a terminal or a guide opens or closes. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  /** What it is made with where its page does not say otherwise. The first word counts. */
  suggest(options: ClusterOptions): void {
    this.#options = { ...options, ...this.#options };
  }

  /** The terminal over it that was opened last. */
  get terminal(): OpenTerminal | undefined {
    return [...this.#terminals].at(-1);
  }

  /** The terminal that shows a shell. */
  terminalOf(shell: string): OpenTerminal | undefined {
    return [...this.#terminals].find((terminal) => terminal.shell === shell);
  }

  /** A terminal is open, until disposed. */
  opened(terminal: OpenTerminal): Disposable {
    return this.#listed(this.#terminals, terminal);
  }

  /** The guide over it that was opened last. */
  get guide(): OpenGuide | undefined {
    return [...this.#guides].at(-1);
  }

  /** A guide is open, until disposed. */
  guides(guide: OpenGuide): Disposable {
    return this.#listed(this.#guides, guide);
  }

  /** An element shows it, until disposed: it is awake while that is in sight. */
  shows(element: Element): Disposable {
    this.#elements ??= new InSight();
    return this.#elements.add(element);
  }

  /** Has the terminal that opens next show this shell. */
  offer(shell: string): void {
    this.#shells.add(shell);
  }

  /** No terminal shows this shell yet. */
  offers(shell: string): boolean {
    return this.#shells.has(shell);
  }

  withdraw(shell: string): void {
    this.#shells.delete(shell);
  }

  /** The shell that a terminal is to show; undefined for one of its own. */
  claim(): string | undefined {
    const shell = [...this.#shells].at(-1);
    if (shell !== undefined) this.withdraw(shell);
    return shell;
  }

  /** A terminal opens along with the cluster. */
  opens(opening: Promise<void>): void {
    this.#opening.add(opening);
    void opening.finally(() => this.#opening.delete(opening));
  }

  /** Resolves when all that opens along with the cluster is open, or cannot be. */
  async joined(): Promise<void> {
    await Promise.all(this.#opening);
  }

  /** The block that the reader looks at: the one before folds. */
  front(block: Foldable): void {
    if (this.#front !== block) this.#front?.fold();
    this.#front = block;
  }

  /**
   * The cluster, once it is ready; `says` is told meanwhile how far it is. One that has failed is
   * started anew, unless the page has made it: then it says why that cannot be used.
   */
  async started(says: (words: string) => void, signal: AbortSignal): Promise<EmbeddedCluster> {
    const cluster = this.#cluster ?? this.#start();
    this.#begins?.();
    const fault = this.#given ? bootOf(cluster)?.state.fault : undefined;
    if (fault) throw new CallError(fault);
    const boot = cluster.on("boot", (steps) => says(wordsOf(steps)));
    try {
      await Promise.race([cluster.ready, aborted(signal)]);
      return cluster;
    } catch (error) {
      if (!signal.aborted) this.#forget(cluster);
      throw error;
    } finally {
      boot.dispose();
    }
  }

  /** What starting it downloads, in bytes; undefined where it has begun, or nobody can say. */
  async size(): Promise<number | undefined> {
    if (this.#cluster) return undefined;
    return downloadSize(this.#options).catch(() => undefined); // starting it says why
  }

  #start(): EmbeddedCluster {
    const cluster = createCluster(this.#options);
    this.#cluster = cluster;
    shares.set(cluster, this);
    if (madeFor(cluster)) this.offer(LESSON_SHELL);
    this.#elements ??= new InSight();
    if (!this.#awake) {
      this.#sleep = new Sleep(clusterBehind(cluster), cluster.ready, this.#elements);
    }
    // Whoever wants one after it has failed gets another.
    cluster.on("fault", () => queueMicrotask(() => this.#forget(cluster)));
    queueMicrotask(() => this.#changed());
    return cluster;
  }

  /** Ends the cluster if none of its elements is open; the next that wants one starts another. */
  endUnused(): void {
    if (this.#cluster && !this.#elements?.some) this.#forget(this.#cluster);
  }

  #forget(cluster: EmbeddedCluster): void {
    if (this.#given) return;
    cluster.dispose();
    if (this.#cluster !== cluster) return;
    this.#sleep?.dispose();
    this.#cluster = undefined;
    this.#shells.clear();
  }

  #listed<T>(among: Set<T>, one: T): Disposable {
    among.add(one);
    this.#changed();
    return {
      dispose: () => {
        if (among.delete(one)) this.#changed();
      },
    };
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  dispose(): void {
    this.#end.abort();
    this.#sleep?.dispose();
    this.#elements?.dispose();
    if (this.#given) return;
    this.#cluster?.dispose();
    this.#cluster = undefined;
  }
}

/** How far a cluster is; undefined for one of another copy of this script. */
function bootOf(cluster: EmbeddedCluster): Cluster["boot"] | undefined {
  try {
    return clusterBehind(cluster).boot;
  } catch {
    return undefined;
  }
}

const NAMES: Readonly<Record<(typeof STEPS)[number], string>> = {
  download: "Downloading Kubernetes",
  compile: "Compiling it",
  store: "Opening the store",
  apiserver: "Starting the API server",
  controllers: "Starting the controllers",
  scheduler: "Starting the scheduler",
  nodes: "Starting the nodes",
};

function wordsOf(steps: ClusterEvents["boot"]): string {
  const step = STEPS.find((name) => steps[name].state === "running");
  if (step === undefined) return "";
  const { loaded, total } = steps[step];
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
  const far =
    step === "download" && loaded !== undefined && total
      ? `: ${megabytes(loaded)} of ${megabytes(total)} MB`
      : "";
  return `${NAMES[step]}${far} …`;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = () => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
