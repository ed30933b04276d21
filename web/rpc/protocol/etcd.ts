/* What lies in the cluster's store. Part of web/rpc/protocol.ts. */

export interface EtcdKeysParams {
  /** "" is everything; a directory's name is what lies in it. */
  prefix: string;
  /** The name of the last entry of the page before; none or "" is from the beginning. */
  after?: string;
  /** At most 500, which is what none means. */
  limit?: number;
}

export interface EtcdPage {
  /** The store's latest revision, and the lowest that can still be read (0: all). */
  revision: number;
  compacted: number;
  /** Of the whole store: how many keys, and their bytes with those of the values. */
  keys: number;
  bytes: number;
  /** In the order of keys. */
  entries: EtcdEntry[];
  /** There is another page. */
  more: boolean;
}

/** A key, or all keys that go on after the same slash. */
export interface EtcdEntry {
  /** The whole key, or the prefix, which ends in a slash. */
  name: string;
  directory?: boolean;
  /** How many keys a directory holds; `atLeast` if they were too many to count. */
  keys?: number;
  atLeast?: boolean;
  /** The length of the value, or of all values in a directory. */
  bytes: number;
  /** The latest change of the key, or among a directory's keys. */
  modRevision: number;
  /** A key's only. */
  createRevision?: number;
  version?: number;
  lease?: number;
}

export interface EtcdObjectParams {
  key: string;
  /** The version that was there at that revision; none or 0: now. */
  revision?: number;
  /** "yaml" if none. */
  format?: "yaml" | "json";
  /** With the values of Secrets, because the owner asked for them. */
  secrets?: boolean;
  /** Without what the trace withholds, of whatever kind it is: what stands beside a command's steps is cut as they are. */
  cut?: boolean;
}

export interface EtcdObject {
  key: string;
  /** The store's latest. */
  revision: number;
  createRevision: number;
  /** The object's resourceVersion, which is nowhere in the value. */
  modRevision: number;
  /** Counts the changes since the key was made. */
  version: number;
  lease?: number;
  /** The trace's step that wrote it, if it is held. */
  step?: number;
  /** The length of the value. */
  bytes: number;
  /** How the value is stored: "text" is no object. */
  encoding: "protobuf" | "json" | "text" | "encrypted" | "unknown";
  /** Of what is encrypted at rest: by which provider, and with the key of which name. */
  encryption?: { provider: string; key: string };
  apiVersion?: string;
  kind?: string;
  /** The object in the format asked for; empty if there is a `problem`. */
  text: string;
  problem?: string;
  /** Values of a Secret were left out. */
  withheld?: boolean;
}

export interface EtcdHistoryParams {
  key: string;
  /** Only versions before that revision; none or 0: all. */
  before?: number;
  /** At most 200, which is what none means. */
  limit?: number;
}

export interface EtcdHistory {
  key: string;
  /** The store's latest revision, and the lowest that can still be read (0: all). */
  revision: number;
  compacted: number;
  /** Latest first. What each held is asked for by `etcdObject` with its revision. */
  versions: EtcdVersion[];
  /** Older ones are held: ask for those before the last one's revision. */
  more: boolean;
  /** The last one made the key. */
  begins: boolean;
}

export interface EtcdVersion {
  revision: number;
  change: "create" | "update" | "delete";
  /** Counts the changes since the key was made; 0 for a deletion. */
  version: number;
  /** 0 for a deletion. */
  bytes: number;
  /** The trace's step that wrote it, if it is held. */
  step?: number;
}

export interface EtcdWatching {
  /** The store's latest. */
  revision: number;
  /** In the order in which they began. */
  watchers: EtcdWatcher[];
  /** How many there are besides. */
  more?: number;
}

export interface EtcdWatcher {
  id: number;
  /** The key, or the prefix of all that is watched, or the first key of another range up to `end`. */
  key: string;
  prefix?: boolean;
  end?: string;
  /** In milliseconds since 1970, and the revision that it began with. */
  began: number;
  from: number;
  /** How many events it was given. */
  events: number;
  /** How many revisions it has not been given that may concern it; 0: it is up to date. */
  lag: number;
}
