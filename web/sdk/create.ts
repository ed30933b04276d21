import { createApi, type CommandOptions, type Tabernetes } from "../cluster/api.ts";
import { Cluster } from "../cluster/cluster.ts";
import { Modules } from "../cluster/modules.ts";
import { sizeOf } from "../cluster/size.ts";
import { reflect, type Change } from "../kube/reflector.ts";
import type { KubeObject } from "../kube/types.ts";
import { CallError } from "../rpc/client.ts";
import type { Fault } from "../rpc/protocol.ts";
import { messageOf } from "../rpc/reason.ts";
import type { Disposable } from "../state/disposable.ts";
import { Events, type ClusterEvents } from "./events.ts";
import { makeFor, prepareLesson, readLesson } from "./lesson.ts";
import { check, text, type ClusterOptions } from "./options.ts";
import type { TerminalElement, TerminalOptions } from "./terminal.ts";

/** What narrows a watch, and what ends it. */
export interface WatchOptions {
  /** Parameters of the list, such as `{ labelSelector: "app=web" }`. */
  query?: Readonly<Record<string, string>>;
  /** Ends the watch. */
  signal?: AbortSignal;
  /** Called with why the connection is lost, and with undefined when it is back. */
  onState?: (problem: string | undefined) => void;
}

/** A cluster of one's own, in a page that may be anybody's. */
export interface EmbeddedCluster extends Tabernetes {
  /** Resolves when the API answers, which is before there are nodes; rejects like `ready`. */
  readonly serving: Promise<void>;
  /**
   * Applies a manifest in YAML or JSON as `kubectl apply -f -` does, and resolves with the lines
   * that it prints. Rejects with kubectl's message if any object of it is refused.
   */
  apply(manifest: string, options?: Pick<CommandOptions, "signal">): Promise<string>;
  /**
   * Lists a collection, such as "/api/v1/pods" or "/apis/apps/v1/namespaces/default/deployments",
   * and follows it until disposed: first one change of type "list", then each later one. A watch
   * that breaks goes on by itself.
   */
  watch<T extends KubeObject = KubeObject>(
    path: string,
    onChange: (change: Change<T>) => void,
    options?: WatchOptions,
  ): Disposable;
  /**
   * A terminal over this cluster, for the page to put where it is to stand: it opens there, with a shell of its
   * own, and fills its box. What it is made of is fetched when this is called. Rejects with a TypeError for
   * options that cannot be.
   */
  terminal(options?: TerminalOptions): Promise<TerminalElement>;
  /** Calls `listener` for each event of a type until disposed. */
  on<K extends keyof ClusterEvents>(
    type: K,
    listener: (event: ClusterEvents[K]) => void,
  ): Disposable;
  /**
   * Ends the cluster and gives back all that it holds. What is under way rejects, and so does
   * whatever is asked later.
   */
  dispose: () => void;
}

/**
 * What a first visit downloads for a cluster with these options, in bytes. Rejects when the list of
 * files cannot be read.
 */
export function downloadSize(options: ClusterOptions = {}): Promise<number> {
  const { assets } = check(options, new URL(import.meta.url));
  return sizeOf(new URL("manifest.json", assets).href);
}

const modules = new Modules();

/** The cluster behind each of what createCluster has returned, for elements that draw it. */
const behind = new WeakMap<EmbeddedCluster, Cluster>();

/** The cluster behind what createCluster returned; throws if something else is given. */
export function clusterBehind(embedded: EmbeddedCluster): Cluster {
  const cluster = behind.get(embedded);
  if (!cluster) throw new TypeError("This is no cluster that createCluster() has returned.");
  return cluster;
}

/** What whoever still waits for a cluster is told when it is disposed of, or still shows it. */
export const STOPPED: Fault = {
  type: "fault",
  component: "page",
  message: "The cluster was disposed of.",
  hint: "createCluster() starts another one.",
};

/**
 * Starts a cluster in a Worker of its own: Kubernetes' own API server, controllers, scheduler and
 * kubelets. There can be several in a page; nothing of the page is touched.
 *
 * Throws a TypeError for options that cannot be; everything later is told by `ready`.
 */
export function createCluster(options: ClusterOptions = {}): EmbeddedCluster {
  const { assets, config, manifests, lesson } = check(options, new URL(import.meta.url));
  const end = new AbortController();
  const loaded = lesson && readLesson(lesson, end.signal);
  // It begins once the lesson has said how many nodes it wants.
  const gate: Promise<void> | undefined = loaded?.then(
    ({ lesson: { nodes } }) => {
      if (options.nodes === undefined && nodes !== undefined) config.nodes = nodes;
    },
    (error: unknown) => cluster.stop(lessonFault(error)),
  );
  const cluster: Cluster = new Cluster(config, assets, gate, modules);
  const embedded = embed(
    cluster,
    manifests,
    () => {
      end.abort();
      cluster.stop(STOPPED);
      cluster.dispose();
    },
    async (api) => {
      if (loaded) await prepareLesson(api, await loaded, end.signal);
    },
  );
  if (lesson) makeFor(embedded, lesson);
  return embedded;
}

function lessonFault(error: unknown): Fault {
  return {
    type: "fault",
    component: "lesson",
    message: `The lesson cannot be read: ${messageOf(error)}`,
    hint: "Check its address, and that its host lets this page read it.",
  };
}

/**
 * What a page is given of a cluster, whose first `manifests` are applied once it is ready, and then what
 * `further` does. `end` is what disposing of it does to the cluster itself.
 */
export function embed(
  cluster: Cluster,
  manifests: readonly string[],
  end: () => void,
  further?: (api: Tabernetes) => Promise<void>,
): EmbeddedCluster {
  const api = createApi(cluster);
  const events = new Events(cluster);
  const watches = new Set<() => void>();

  const apply = async (
    manifest: string,
    { signal }: Pick<CommandOptions, "signal"> = {},
  ): Promise<string> => {
    const stdin = text("a manifest", manifest);
    const { code, stdout, stderr } = await api.kubectl(["apply", "-f", "-"], {
      stdin,
      session: "apply",
      ...(signal ? { signal } : {}),
    });
    if (code !== 0) {
      const why = stderr.trim() || `exit code ${code}`;
      throw new CallError({
        message: `apply a manifest: ${why}`,
        hint: "Objects that it had before were applied. Mend the manifest and apply it again.",
      });
    }
    return stdout;
  };
  const ready = prepared(cluster.ready, manifests, apply).then(() => further?.(api));
  ready.catch(() => undefined); // whoever does not wait for it is told by "fault"

  const embedded: EmbeddedCluster = {
    ...api,
    ready,
    serving: cluster.serving,
    apply,
    terminal: async (options = {}) => {
      const { terminalOver } = await import("../embed/terminal-over.ts");
      return terminalOver(embedded, options);
    },
    on: (type, listener) => events.on(type, listener),
    watch: (path, onChange, { query, signal, onState } = {}) => {
      const reflector = reflect({
        fetch: (at, init) => api.fetch(at, init),
        path,
        onChange,
        ...(query ? { query } : {}),
        ...(onState ? { onState } : {}),
      });
      const leave = () => {
        signal?.removeEventListener("abort", leave);
        watches.delete(leave);
        reflector.dispose();
      };
      watches.add(leave);
      signal?.addEventListener("abort", leave);
      if (signal?.aborted) leave();
      return { dispose: leave };
    },
    dispose: () => {
      for (const leave of [...watches]) leave();
      events.dispose();
      end();
    },
  };
  behind.set(embedded, cluster);
  return embedded;
}

async function prepared(
  ready: Promise<void>,
  manifests: readonly string[],
  apply: (manifest: string) => Promise<string>,
): Promise<void> {
  await ready;
  for (const manifest of manifests) await apply(manifest);
}
