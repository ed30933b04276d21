import type { STEPS, StepState } from "../boot/boot.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Fault, Slept } from "../rpc/protocol.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";

/** What a cluster tells of itself. */
export interface ClusterEvents {
  /** A step of starting went on: where each of them is. */
  boot: Readonly<Record<(typeof STEPS)[number], StepState>>;
  /** Every part has started; manifests that were given are not applied yet. */
  ready: undefined;
  /** The tab was asleep, and the cluster with it. */
  slept: Slept;
  /** The cluster cannot go on: what happened, and what to do. It comes once. */
  fault: Fault;
}

type Listener = (event: never) => void;

/** Tells listeners of a cluster's events, from when they begin to listen. */
export class Events implements Disposable {
  readonly #listeners = new Map<keyof ClusterEvents, Set<Listener>>();
  readonly #held = new Disposables();

  constructor({ boot, slept }: Pick<Cluster, "boot" | "slept">) {
    let before = boot.state;
    this.#held.add(
      boot.subscribe((state) => {
        const { ready, fault } = before;
        before = state;
        this.#tell("boot", state.steps);
        if (state.ready && !ready) this.#tell("ready", undefined);
        if (state.fault && !fault) this.#tell("fault", state.fault);
      }),
    );
    this.#held.add(slept.subscribe((state) => state && this.#tell("slept", state)));
  }

  on<K extends keyof ClusterEvents>(
    type: K,
    listener: (event: ClusterEvents[K]) => void,
  ): Disposable {
    // Each call is a subscription of its own, though the function may be the same.
    const own: Listener = (event) => listener(event);
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(own));
    return { dispose: () => void listeners.delete(own) };
  }

  dispose(): void {
    this.#held.dispose();
    this.#listeners.clear();
  }

  #tell<K extends keyof ClusterEvents>(type: K, event: ClusterEvents[K]): void {
    for (const listener of [...(this.#listeners.get(type) ?? [])]) {
      try {
        listener(event as never);
      } catch (error) {
        // A listener of somebody else's page must not end what the cluster has to say to others.
        reportError(error);
      }
    }
  }
}
