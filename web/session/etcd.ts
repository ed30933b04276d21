import type { RpcClient } from "../rpc/client.ts";
import type {
  EtcdHistory,
  EtcdObject,
  EtcdObjectParams,
  EtcdPage,
  EtcdWatching,
} from "../rpc/protocol.ts";

/** What the page asks the worker with. */
export type EtcdClient = Pick<RpcClient, "call">;

/**
 * What lies in the cluster's store, asked for when somebody looks. Each answer is of its moment and
 * none is kept. A call fails with CallError, whose hint says what to do.
 */
export class Etcd {
  readonly #client: EtcdClient;

  constructor(client: EtcdClient) {
    this.#client = client;
  }

  /** What lies directly below a prefix ("" is everything), after an entry by its name. */
  keys(prefix: string, after = "", limit = 0): Promise<EtcdPage> {
    return this.#client.call("etcdKeys", { prefix, after, limit }).result;
  }

  /** One version of a key, decoded. Values of Secrets are left out unless `secrets` is set. */
  object(key: string, how: Omit<EtcdObjectParams, "key"> = {}): Promise<EtcdObject> {
    return this.#client.call("etcdObject", { key, ...how }).result;
  }

  /** The versions of a key that are still held, latest first, from before a revision on. */
  history(key: string, before = 0, limit = 0): Promise<EtcdHistory> {
    return this.#client.call("etcdHistory", { key, before, limit }).result;
  }

  /** Who watches now. */
  watchers(): Promise<EtcdWatching> {
    return this.#client.call("etcdWatchers", {}).result;
  }
}
