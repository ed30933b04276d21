import { initialBoot, reduceBoot, type BootAction, type BootState } from "../boot/boot.ts";
import { CallError, RpcClient } from "../rpc/client.ts";
import type { ClusterConfig, Fault, MemoryImage, Slept } from "../rpc/protocol.ts";
import type { Disposable } from "../state/disposable.ts";
import { Store } from "../state/store.ts";
import type { WorkerInit, WorkerOrder } from "../worker/init.ts";
import type { Loaded } from "../worker/load.ts";
import { ContainerFrame, hasFrames } from "./container-frame.ts";
import { containerFrame } from "./container-frame-file.ts";
import { containerScript } from "./container-script.ts";
import { containersMark, measureHere, type Browser, type Measure } from "./measure.ts";
import type { Modules, Part } from "./modules.ts";
import { imageScript } from "./image-script.ts";
import { sizeOf } from "./size.ts";
import { spawnWorker } from "./spawn.ts";

/** What to do in a page whose script and whose module are of two versions. */
function otherVersions(assets: URL): string {
  return `Take this page's script (or npm package) and the module in ${assets.href} from one build: sdk/ and assets/ below the same v/DIGEST/ of a published site are. If they are, empty the browser's cache for both hosts and reload.`;
}

/** The cluster in its Worker, as the page sees it: how far it is, and a client for it. */
export class Cluster implements Disposable {
  readonly boot = new Store<BootState, BootAction>(reduceBoot, initialBoot);
  readonly client: RpcClient;
  /** What it was started with. */
  readonly config: ClusterConfig;
  /** When the tab was last asleep, if it was. */
  readonly slept = new Store<Slept | undefined, Slept>((_old, next) => next, undefined);
  /** What is kept of its memory; undefined where nothing is to be, or before it has begun. */
  readonly image = new Store<MemoryImage | undefined, MemoryImage>((_old, next) => next, undefined);
  /** Resolves when every part has started, rejects when the cluster cannot start. */
  readonly ready: Promise<void>;
  /** Resolves when the API answers, which is before there are nodes; rejects like `ready`. */
  readonly serving: Promise<void>;
  /** Measures what its Workers of containers hold; undefined where nobody can. */
  readonly measure: Measure | undefined;
  /** By which these Workers are told from others. */
  readonly #mark = containersMark();
  readonly #channel = new MessageChannel();
  /** The way to the frame in which they run, where there are frames. */
  readonly #containers = hasFrames(globalThis as unknown as Browser)
    ? new MessageChannel()
    : undefined;
  readonly #frame: ContainerFrame | undefined;
  #worker: Worker | undefined;
  #disposed = false;
  #asleep = false;
  readonly #manifestUrl: string;
  /** Its part in a module that several clusters run. */
  readonly #part: Part | undefined;

  /**
   * It begins to start once `gate` opens. `assets` is the address of the folder with the module and
   * its manifest. Clusters with the same `modules` load it once.
   */
  constructor(
    config: ClusterConfig,
    assets: URL,
    gate: Promise<void> = Promise.resolve(),
    modules?: Modules,
  ) {
    this.config = config;
    if (this.#containers) {
      const told = { script: containerScript(), mark: this.#mark };
      this.#frame = new ContainerFrame(containerFrame(), told, this.#containers.port1);
    }
    const frame = this.#frame;
    this.measure = frame ? () => frame.measure() : measureHere(this.#mark);
    this.#manifestUrl = new URL("manifest.json", assets).href;
    // In a page of ours script and module come together; in somebody else's they are named apart.
    const otherAge = modules ? otherVersions(assets) : undefined;
    this.client = new RpcClient(this.#channel.port1, otherAge);
    this.client.onBoot = (step) => this.boot.dispatch(step);
    this.client.onSlept = (slept) => this.slept.dispatch(slept);
    this.client.onImage = (image) => this.image.dispatch(image);
    this.client.onFault = (fault) => this.#fail(fault);
    this.ready = this.#until((state) => state.ready);
    this.serving = this.#until((state) => state.steps.apiserver.state === "done");
    if (typeof WebAssembly !== "object" || !("compileStreaming" in WebAssembly)) {
      this.#fail(noWebAssembly);
      return;
    }
    this.#part = modules?.join(this.#manifestUrl);
    void gate
      .then(() => this.#part?.compiled)
      .then((loaded) => {
        if (!this.#disposed) this.#start(config, loaded);
      });
  }

  /** What travels for a first visit, in bytes; rejects when the list of files cannot be read. */
  size(): Promise<number> {
    return sizeOf(this.#manifestUrl);
  }

  /** Nothing happens in it, and no time passes but the wall clock's. */
  get asleep(): boolean {
    return this.#asleep;
  }

  /**
   * Puts it to sleep, as a tab that the browser suspends (ADR 15), until `wake` is called. What is asked
   * of it meanwhile may be answered then.
   */
  sleep(): void {
    if (this.#asleep || !this.#worker) return;
    this.#asleep = true;
    this.#worker.postMessage("sleep" satisfies WorkerOrder);
  }

  /** Goes on where it was. */
  wake(): void {
    if (!this.#asleep) return;
    this.#asleep = false;
    this.#worker?.postMessage("wake" satisfies WorkerOrder);
  }

  /** Ends it at once; `reason` is what the page says of it. */
  stop(reason: Fault): void {
    this.#disposed = true; // it may not have begun
    this.#fail(reason);
  }

  dispose(): void {
    this.#disposed = true;
    this.client.break(new CallError({ message: "The cluster was stopped." }));
    this.#worker?.terminate();
    this.#frame?.dispose();
    this.#part?.leave();
    this.#channel.port1.close();
  }

  #start(config: ClusterConfig, loaded: Loaded | undefined): void {
    performance.mark("tn-boot");
    const worker = spawnWorker();
    this.#worker = worker;
    worker.onerror = (event) => {
      event.preventDefault();
      this.#fail({
        type: "fault",
        component: "worker",
        message: `The Worker of the cluster failed: ${event.message || "its script could not be loaded"}`,
        hint: "Check the connection, then reload the page.",
      });
    };
    const init: WorkerInit = {
      port: this.#channel.port2,
      config,
      manifestUrl: this.#manifestUrl,
      containerUrl: containerScript() + this.#mark,
      ...(this.#containers ? { containers: this.#containers.port2 } : {}),
      imageUrl: imageScript(),
      ...(loaded ? { loaded } : {}),
      share: this.#part !== undefined,
    };
    // The Worker's own messages are what it has loaded; all else goes over the port.
    worker.onmessage = ({ data }: MessageEvent<Loaded>) => this.#part?.offer(data);
    worker.postMessage(init, init.containers ? [init.port, init.containers] : [init.port]);
  }

  #fail(fault: Fault): void {
    this.client.break(new CallError({ message: fault.message, hint: fault.hint }));
    this.boot.dispatch(fault);
    // Whatever still runs there can only use up memory and the processor.
    this.#worker?.terminate();
    this.#frame?.dispose();
    this.#part?.leave();
  }

  #until(reached: (state: BootState) => boolean): Promise<void> {
    const promise = new Promise<void>((resolve, reject) => {
      const subscription = this.boot.subscribe((state) => {
        if (state.fault) reject(new CallError(state.fault));
        else if (reached(state)) resolve();
        else return;
        subscription.dispose();
      });
    });
    // Nobody has to wait for it; the page shows the fault itself.
    promise.catch(() => undefined);
    return promise;
  }
}

const noWebAssembly: Fault = {
  type: "fault",
  component: "browser",
  message: "This browser has no WebAssembly, or it is switched off.",
  hint: "Open the page in Chromium, Firefox or Safari. Where WebAssembly was switched off (Lockdown Mode, a policy of the organisation), allow it for this page.",
};
