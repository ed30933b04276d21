import { createApi, type Tabernetes } from "./cluster/api.ts";
import { Commands } from "./commands/commands.ts";
import { Cluster } from "./cluster/cluster.ts";
import { claim, Gate, warnBeforeLeaving } from "./cluster/tabs.ts";
import {
  emptyCollection,
  gather,
  reduceCollection,
  type Changes,
  type Collection,
} from "./kube/collection.ts";
import {
  reducePlacement,
  unsettled,
  type Placement,
  type PlacementAction,
} from "./kube/placement.ts";
import { askKubelets, type Consumption } from "./kube/consumption.ts";
import { goneSince } from "./kube/gone.ts";
import { reflect, type Change, type Fetch } from "./kube/reflector.ts";
import type { Selection } from "./kube/selection.ts";
import { Catalog } from "./kube/catalog.ts";
import { Namespaces } from "./kube/namespaces.ts";
import type { Event, KubeObject, Node, Pod, Row } from "./kube/types.ts";
import { groupOf, parseGrouping, type Grouping } from "./map/grouping.ts";
import type { ClusterConfig } from "./rpc/protocol.ts";
import { Door } from "./door/door.ts";
import { Disposables, type Disposable } from "./state/disposable.ts";
import { createRoute, viewOf, type RouteStore } from "./state/route.ts";
import {
  clusterConfig,
  createSettings,
  pageStorage,
  type SettingsStore,
} from "./state/settings.ts";
import { Store } from "./state/store.ts";
import type { EditFile } from "./term/session.ts";

/** Milliseconds for which a deleted pod leaves its place before the others close up. */
const PLACE_KEPT = 1200;

type CollectionStore<T extends KubeObject> = Store<Collection<T>, Change<T> | Changes<T>>;

/** Types and runs lines in the page's terminal; the terminal's view fills it in. */
export interface TerminalControl {
  run(line: string): void;
  /** Puts a line at the prompt and leaves it there. */
  type(line: string): void;
  focus(): void;
  /** Runs a line in a terminal of its own. */
  runInNewTab(line: string): void;
}

/** As often as a kubelet measures its containers (pkg/kubelet/cadvisor, housekeeping). */
const MEASURE_EVERY = 10_000;

/** Everything the views draw, and what they may ask for. It knows no view. */
export class App implements Disposable {
  readonly settings: SettingsStore = createSettings(pageStorage());
  /** True while another tab has a cluster and nobody has asked for one of this tab's own. */
  readonly second = new Store<boolean, boolean>((_old, next) => next, false);
  readonly #gate = new Gate();
  /** What the running cluster was started with. */
  readonly started: ClusterConfig = clusterConfig(this.settings.state);
  readonly cluster = new Cluster(this.started, this.#gate.open);
  readonly api: Tabernetes = createApi(this.cluster);
  /** Asks the apiserver as cluster admin, once it answers. */
  readonly fetch: Fetch = (path, init) => {
    if (init?.method && init.method !== "GET" && !path.includes("dryRun=")) this.touch();
    return this.api.fetch(path, init);
  };
  /** Where the page is, as its address says. */
  readonly route: RouteStore = createRoute();
  /** What the palette offers. */
  readonly commands = new Commands();
  /** What the API serves; asked for when a view first needs it. */
  readonly catalog = new Catalog(this.fetch);
  readonly namespaces = new Namespaces(this.fetch);
  readonly nodes: CollectionStore<Node> = new Store(reduceCollection, emptyCollection<Node>());
  readonly pods: CollectionStore<Pod> = new Store(reduceCollection, emptyCollection<Pod>());
  readonly events: CollectionStore<Event> = new Store(reduceCollection, emptyCollection<Event>());
  readonly placement = new Store<Placement, PlacementAction>(reducePlacement, new Map());
  readonly selection = new Store<Selection | undefined, Selection | undefined>(
    (_old, next) => next,
    undefined,
  );
  /** What kubelets measure, by node; asked for while a view shows it. */
  readonly consumption = new Store<
    ReadonlyMap<string, Consumption>,
    ReadonlyMap<string, Consumption>
  >((_old, next) => next, new Map());
  /** Since when nodes are gone that are, by name, in milliseconds since 1970. */
  readonly gone = new Store<ReadonlyMap<string, number>, ReadonlyMap<string, number>>(
    (old, next) => (old.size === 0 && next.size === 0 ? old : next),
    new Map(),
  );
  /** Kubernetes' version as the apiserver says it, once it answers. */
  readonly version = new Store<string, string>((_old, next) => next, "");
  /** Why what is drawn may be old; empty while the watches are up. */
  readonly stale = new Store<string, string>((_old, next) => next, "");
  /** The way in for programs and machines outside this page. */
  readonly door = new Door();
  terminal: TerminalControl | undefined;
  /** Lets a person edit a text; the editor's view fills it in. */
  editor: EditFile | undefined;

  readonly #held = new Disposables();
  #touched = false;
  /** Counts the searches for nodes that are gone. */
  #goneTurn = 0;
  #grouping: Grouping = parseGrouping(this.route.state.query);
  readonly #group = (row: Row<Pod>) => groupOf(row, this.#grouping);
  /** True while the pointer is over the map: nothing may shift under it. */
  #pointerOverMap = false;

  constructor() {
    void claim().then((first) => {
      if (first) this.#gate.unlock();
      else this.second.dispatch(true);
    });
    this.#held.add(warnBeforeLeaving(() => this.#touched));
    this.#held.add(this.cluster);
    this.#held.add(this.catalog);
    this.#held.add(this.namespaces);
    this.#held.add(
      this.pods.subscribe(({ rows }) =>
        this.placement.dispatch({
          type: "pods",
          pods: rows,
          now: performance.now(),
          group: this.#group,
        }),
      ),
    );
    let grouping = JSON.stringify(parseGrouping(this.route.state.query));
    this.#held.add(
      this.route.subscribe(({ query }) => {
        if (viewOf(this.route.state) !== "map") return;
        const next = parseGrouping(query);
        if (JSON.stringify(next) === grouping) return;
        grouping = JSON.stringify(next);
        this.#grouping = next;
        const pods = this.pods.state.rows;
        this.placement.dispatch({
          type: "regroup",
          pods,
          now: performance.now(),
          group: this.#group,
        });
      }),
    );
    const measure = setInterval(() => void this.#measure(), MEASURE_EVERY);
    this.#held.add({ dispose: () => clearInterval(measure) });
    const settle = setInterval(() => this.#settle(), 250);
    this.#held.add({ dispose: () => clearInterval(settle) });
    this.cluster.serving.then(
      () => this.#follow(),
      () => undefined,
    );
  }

  /** By what the map puts pods together, as the address says. */
  get grouping(): Grouping {
    return this.#grouping;
  }

  set pointerOverMap(over: boolean) {
    this.#pointerOverMap = over;
  }

  /** Starts a cluster in this tab although another has one. */
  startHere(): void {
    this.second.dispatch(false);
    this.#gate.unlock();
  }

  /** Something has been done that would be lost with the page. */
  touch(): void {
    this.#touched = true;
  }

  /** Starts the page and its cluster anew; everything in the cluster is lost. */
  restart(): void {
    this.#touched = false;
    location.reload();
  }

  /** Opens the page's editor on a file of the terminal. */
  editFile(name: string, text: string): Promise<string | undefined> {
    return this.editor?.(name, text) ?? Promise.resolve(undefined);
  }

  dispose(): void {
    this.#held.dispose();
  }

  #settle(): void {
    if (this.#pointerOverMap || !unsettled(this.placement.state)) return;
    this.placement.dispatch({ type: "settle", leftBefore: performance.now() - PLACE_KEPT });
  }

  /** Asks the kubelets, while somebody sees what they say. */
  async #measure(): Promise<void> {
    const view = viewOf(this.route.state);
    if (document.hidden || (view !== "map" && view !== "nodes")) return;
    const names = [...this.nodes.state.rows.values()].map((row) => row.object.metadata.name);
    const known = this.consumption.state;
    // The map draws processors and memory, which in-tab kubelets do not measure; asking one takes
    // the cluster as long as starting a pod.
    const asked = names.filter((name) => {
      const last = known.get(name);
      return view === "nodes" || !last || last.cpu !== undefined || last.memory !== undefined;
    });
    if (asked.length === 0) return;
    const kept = [...known].filter(([name]) => names.includes(name) && !asked.includes(name));
    this.consumption.dispatch(new Map([...kept, ...(await askKubelets(this.fetch, asked))]));
  }

  #follow(): void {
    const { fetch } = this;
    const follow = <T extends KubeObject>(path: string, store: CollectionStore<T>) =>
      this.#held.add(
        reflect<T>({
          fetch,
          path,
          // With thousands of rows every change costs some milliseconds: rather a few a second.
          onChange: gather(
            (changes) => store.dispatch(changes),
            () => Math.min(500, Math.max(16, store.state.rows.size / 25)),
          ),
          onState: (problem) => this.stale.dispatch(problem ?? ""),
        }),
      );
    this.#held.add(this.nodes.subscribe(() => void this.#findGone()));
    follow("/api/v1/nodes", this.nodes);
    follow("/api/v1/pods", this.pods);
    follow("/api/v1/events", this.events);
    void this.#readVersion();
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
