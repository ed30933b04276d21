import { STEPS } from "../boot/boot.ts";
import { createCluster, downloadSize, type EmbeddedCluster } from "../sdk/create.ts";
import type { ClusterEvents } from "../sdk/events.ts";
import type { ClusterOptions } from "../sdk/options.ts";

/** A block that can be folded. */
interface Foldable {
  fold(): void;
}

/** The one cluster of a page's blocks. It starts when the first of them wants it. */
export class SharedCluster {
  readonly #options: ClusterOptions;
  #cluster: EmbeddedCluster | undefined;
  #front: Foldable | undefined;
  #begins: (() => void) | undefined;
  readonly #end = new AbortController();

  constructor(from: ClusterOptions | EmbeddedCluster) {
    if ("kubectl" in from) this.#cluster = from;
    this.#options = "kubectl" in from ? {} : from;
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

  /** The block that the reader looks at: the one before folds. */
  front(block: Foldable): void {
    if (this.#front !== block) this.#front?.fold();
    this.#front = block;
  }

  /**
   * The cluster, once it is ready; `says` is told meanwhile how far it is. One that has failed is
   * started anew.
   */
  async started(says: (words: string) => void, signal: AbortSignal): Promise<EmbeddedCluster> {
    this.#cluster ??= createCluster(this.#options);
    const cluster = this.#cluster;
    this.#begins?.();
    const boot = cluster.on("boot", (steps) => says(wordsOf(steps)));
    try {
      await Promise.race([cluster.ready, aborted(signal)]);
      return cluster;
    } catch (error) {
      if (!signal.aborted) {
        cluster.dispose();
        this.#cluster = undefined;
      }
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

  dispose(): void {
    this.#end.abort();
    this.#cluster?.dispose();
    this.#cluster = undefined;
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
