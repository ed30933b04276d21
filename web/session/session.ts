import { createApi, type Tabernetes } from "../cluster/api.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { Catalog } from "../kube/catalog.ts";
import {
  emptyCollection,
  gather,
  reduceCollection,
  type Changes,
  type Collection,
} from "../kube/collection.ts";
import { goneSince } from "../kube/gone.ts";
import { Namespaces } from "../kube/namespaces.ts";
import { reflect, type Change, type Fetch } from "../kube/reflector.ts";
import type { Event, KubeObject, Node, Pod } from "../kube/types.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";
import { Store } from "../state/store.ts";
import { ControlPlane } from "./control-plane.ts";
import { Etcd } from "./etcd.ts";
import { Measurements } from "./measurements.ts";
import { Trace } from "./trace.ts";

export type CollectionStore<T extends KubeObject> = Store<Collection<T>, Change<T> | Changes<T>>;

/**
 * One cluster and what is known of it: the API, what it serves, and the objects that everybody
 * looks at. It knows neither document nor address, so that any number of views, or none, stand over
 * it. Disposed of it leaves the cluster to whoever made it.
 */
export class Session implements Disposable {
  readonly cluster: Cluster;
  readonly api: Tabernetes;
  /** Asks the apiserver as cluster admin, once it answers. */
  readonly fetch: Fetch = (path, init) => {
    if (init?.method && init.method !== "GET" && !path.includes("dryRun=")) this.touch();
    return this.api.fetch(path, init);
  };
  /** What the API serves; asked for when a view first needs it. */
  readonly catalog = new Catalog(this.fetch);
  readonly namespaces = new Namespaces(this.fetch);
  readonly nodes: CollectionStore<Node> = new Store(reduceCollection, emptyCollection<Node>());
  readonly pods: CollectionStore<Pod> = new Store(reduceCollection, emptyCollection<Pod>());
  readonly events: CollectionStore<Event> = new Store(reduceCollection, emptyCollection<Event>());
  /** What kubelets measure; asked for while a view shows it. */
  readonly measurements = new Measurements(this.fetch, this.nodes);
  /** Since when nodes are gone that are, by name, in milliseconds since 1970. */
  readonly gone = new Store<ReadonlyMap<string, number>, ReadonlyMap<string, number>>(
    (old, next) => (old.size === 0 && next.size === 0 ? old : next),
    new Map(),
  );
  /** Kubernetes' version as the apiserver says it, once it answers. */
  readonly version = new Store<string, string>((_old, next) => next, "");
  /** Why what is known may be old; empty while the watches are up. */
  readonly stale = new Store<string, string>((_old, next) => next, "");

  /** What the cluster does, step by step, while a view follows. */
  readonly trace: Trace;
  /** What lies in the cluster's store; asked for when a view shows it. */
  readonly etcd: Etcd;
  /** The control plane's configuration, and what a request passes. */
  readonly controlPlane: ControlPlane;

  readonly #held = new Disposables();
  #touched = false;
  #disposed = false;
  readonly #shells = new Map<string, number>();
  /** Counts the searches for nodes that are gone. */
  #goneTurn = 0;

  constructor(cluster: Cluster) {
    this.cluster = cluster;
    this.api = createApi(cluster);
    this.trace = new Trace(cluster.client);
    this.etcd = new Etcd(cluster.client);
    this.controlPlane = new ControlPlane(cluster.client);
    this.#held.add(this.trace);
    this.#held.add(this.catalog);
    this.#held.add(this.namespaces);
    this.#held.add(this.measurements);
    cluster.serving.then(
      () => !this.#disposed && this.#follow(),
      () => undefined,
    );
  }

  /** Whether something has been done that would be lost with the cluster. */
  get touched(): boolean {
    return this.#touched;
  }

  /** The name of one more shell for `what`: each terminal has its own, however many there are. */
  shellName(what: string): string {
    const number = (this.#shells.get(what) ?? 0) + 1;
    this.#shells.set(what, number);
    return `${what}-${number}`;
  }

  /** Something has been done that would be lost with the cluster. */
  touch(): void {
    this.#touched = true;
  }

  /** Remembers what the cluster holds, right before the page writes; `line` is the command that does the same. */
  async remember(line: string): Promise<void> {
    await this.cluster.serving;
    await this.cluster.client.call("takeCheckpoint", { why: line, before: true }).result;
  }

  dispose(): void {
    this.#disposed = true;
    this.#held.dispose();
  }

  #follow(): void {
    this.#held.add(this.nodes.subscribe(() => void this.#findGone()));
    this.#reflect("/api/v1/nodes", this.nodes);
    this.#reflect("/api/v1/pods", this.pods);
    this.#reflect("/api/v1/events", this.events);
    void this.#readVersion();
  }

  #reflect<T extends KubeObject>(path: string, store: CollectionStore<T>): void {
    this.#held.add(
      reflect<T>({
        fetch: this.fetch,
        path,
        // Events stay for an hour, and a busy cluster has tens of thousands of them.
        lean: true,
        // With thousands of rows every change costs some milliseconds: rather a few a second.
        onChange: gather(
          (changes) => store.dispatch(changes),
          () => Math.min(500, Math.max(16, store.state.rows.size / 25)),
        ),
        onState: (problem) => this.stale.dispatch(problem ?? ""),
      }),
    );
  }

  async #findGone(): Promise<void> {
    const turn = ++this.#goneTurn;
    const rows = [...this.nodes.state.rows.values()];
    const found = await goneSince(this.fetch, rows, this.gone.state);
    // What was asked for before the nodes changed once more says nothing about them now.
    if (turn === this.#goneTurn) this.gone.dispatch(found);
  }

  async #readVersion(): Promise<void> {
    const response = await this.api.fetch("/version");
    const { gitVersion } = (await response.json()) as { gitVersion?: string };
    this.version.dispatch(gitVersion ?? "");
  }
}
