import { askKubelets, type Consumption } from "../kube/consumption.ts";
import type { Fetch } from "../kube/reflector.ts";
import type { Node } from "../kube/types.ts";
import type { Disposable } from "../state/disposable.ts";
import { Store } from "../state/store.ts";
import type { CollectionStore } from "./session.ts";

/** As often as a kubelet measures its containers (pkg/kubelet/cadvisor, housekeeping). */
const MEASURE_EVERY = 10_000;

/**
 * Which nodes somebody looks at: all of them with everything they say, those that measure
 * processors or memory (in-tab kubelets do not, and asking one takes the cluster as long as starting
 * a pod), or none.
 */
export type Interest = "all" | "measuring" | "none";

/** What kubelets measure, by node, asked for while somebody wants to know. */
export class Measurements implements Disposable {
  readonly store = new Store<ReadonlyMap<string, Consumption>, ReadonlyMap<string, Consumption>>(
    (_old, next) => next,
    new Map(),
  );
  /** Asked before each round; a page says what it shows. */
  interest: () => Interest = () => "none";

  readonly #fetch: Fetch;
  readonly #nodes: CollectionStore<Node>;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(fetch: Fetch, nodes: CollectionStore<Node>) {
    this.#fetch = fetch;
    this.#nodes = nodes;
    this.#timer = setInterval(() => void this.#measure(), MEASURE_EVERY);
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  async #measure(): Promise<void> {
    const interest = this.interest();
    if (interest === "none") return;
    const names = [...this.#nodes.state.rows.values()].map((row) => row.object.metadata.name);
    const known = this.store.state;
    const asked = names.filter((name) => {
      const last = known.get(name);
      return interest === "all" || !last || last.cpu !== undefined || last.memory !== undefined;
    });
    if (asked.length === 0) return;
    const kept = [...known].filter(([name]) => names.includes(name) && !asked.includes(name));
    this.store.dispatch(new Map([...kept, ...(await askKubelets(this.#fetch, asked))]));
  }
}
