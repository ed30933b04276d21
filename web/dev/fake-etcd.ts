import type {
  EtcdEntry,
  EtcdHistory,
  EtcdHistoryParams,
  EtcdKeysParams,
  EtcdObject,
  EtcdObjectParams,
  EtcdPage,
  EtcdVersion,
  EtcdWatching,
} from "../rpc/protocol.ts";
import type { FakeCluster } from "./fake-cluster.ts";
import { type Kind } from "./fake-cluster.ts";

/** One version of one key; no value: it was deleted. */
interface Written {
  revision: number;
  created: number;
  version: number;
  value?: { apiVersion: string; kind: string; text: string };
}

/** Where upstream keeps a kind that has another name there. */
const DIRECTORIES: Partial<Record<Kind, string>> = {
  nodes: "minions",
  services: "services/specs",
};

const SECRET = "/registry/secrets/default/login";

/** A store as the view of it sees one: made of what has happened in the fake cluster. */
export class FakeEtcd {
  readonly #cluster: FakeCluster;
  readonly #began = Date.now();

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
  }

  keys({ prefix, after = "", limit = 0 }: EtcdKeysParams): EtcdPage {
    const all = this.#versions();
    const found = new Map<string, EtcdEntry>();
    let keys = 0;
    let bytes = 0;
    for (const [key, versions] of [...all].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const last = versions.at(-1);
      if (!last?.value) continue;
      keys++;
      bytes += last.value.text.length;
      if (!key.startsWith(prefix)) continue;
      const slash = key.indexOf("/", prefix.length);
      const name = slash < 0 ? key : key.slice(0, slash + 1);
      const old = found.get(name);
      const entry: EtcdEntry = {
        name,
        bytes: last.value.text.length + (old?.bytes ?? 0),
        modRevision: Math.max(last.revision, old?.modRevision ?? 0),
        ...(slash < 0
          ? { createRevision: last.created, version: last.version }
          : { directory: true, keys: 1 + (old?.keys ?? 0) }),
      };
      found.set(name, entry);
    }
    const entries = [...found.values()].filter((entry) => entry.name > after);
    const most = limit > 0 ? Math.min(limit, 500) : 500;
    return {
      revision: this.#cluster.version,
      compacted: 0,
      keys,
      bytes,
      entries: entries.slice(0, most),
      more: entries.length > most,
    };
  }

  object(params: EtcdObjectParams): EtcdObject {
    const { key, revision = 0, format = "yaml", secrets = false, cut = false } = params;
    const versions = this.#versions().get(key) ?? [];
    const at = versions.filter((v) => revision === 0 || v.revision <= revision).at(-1);
    if (!at?.value) throw new Error(`read "${key}": nothing is stored there`);
    const { apiVersion, kind, text } = at.value;
    const withheld = kind === "Secret" && !secrets && !cut;
    const instead = cut ? '"(not kept)"' : '"(not shown)"';
    const json = withheld || cut ? text.replace(/"c2VjcmV0"/, instead) : text;
    return {
      key,
      revision: this.#cluster.version,
      createRevision: at.created,
      modRevision: at.revision,
      version: at.version,
      bytes: text.length,
      encoding: "protobuf",
      apiVersion,
      kind,
      text: format === "json" ? json : yaml(JSON.parse(json), ""),
      ...(withheld ? { withheld } : {}),
    };
  }

  history({ key, before = 0, limit = 0 }: EtcdHistoryParams): EtcdHistory {
    const all = this.#versions().get(key);
    if (!all) throw new Error(`read the history of "${key}": nothing is stored there`);
    const older = all.filter((v) => before === 0 || v.revision < before).reverse();
    const most = limit > 0 ? Math.min(limit, 200) : 200;
    const versions = older.slice(0, most).map((v): EtcdVersion => ({
      revision: v.revision,
      change: !v.value ? "delete" : v.version === 1 ? "create" : "update",
      version: v.version,
      bytes: v.value?.text.length ?? 0,
    }));
    const more = older.length > most;
    return {
      key,
      revision: this.#cluster.version,
      compacted: 0,
      versions,
      more,
      begins: !more && versions.at(-1)?.change === "create",
    };
  }

  watchers(): EtcdWatching {
    const resources = ["pods", "minions", "events", "configmaps", "services/specs", "secrets"];
    return {
      revision: this.#cluster.version,
      watchers: resources.map((resource, i) => ({
        id: i + 1,
        key: `/registry/${resource}/`,
        prefix: true,
        began: this.#began,
        from: 1,
        events: this.#cluster.history.filter(({ what }) => directory(what[1]) === resource).length,
        // One that does not keep up, to be looked at.
        lag: resource === "events" ? 3 : 0,
      })),
    };
  }

  #versions(): Map<string, Written[]> {
    const all = new Map<string, Written[]>();
    const write = (key: string, revision: number, value?: Written["value"]) => {
      const versions = all.get(key) ?? [];
      const last = versions.at(-1);
      const version = value ? (last?.version ?? 0) + 1 : 0;
      const created = version === 1 ? revision : (last?.created ?? 0);
      versions.push({ revision, created, version, ...(value ? { value } : {}) });
      all.set(key, versions);
    };
    write(SECRET, 1, {
      apiVersion: "v1",
      kind: "Secret",
      text: JSON.stringify({
        apiVersion: "v1",
        data: { password: "c2VjcmV0" },
        kind: "Secret",
        metadata: { name: "login", namespace: "default" },
        type: "Opaque",
      }),
    });
    for (const { version, what } of this.#cluster.history) {
      const [type, kind, { object }] = what;
      const { namespace, name } = object.metadata;
      const key = ["/registry", directory(kind), ...(namespace ? [namespace] : []), name].join("/");
      if (type === "DELETED") write(key, version);
      else {
        const { apiVersion = "v1", kind: called = "" } = object;
        write(key, version, { apiVersion, kind: called, text: JSON.stringify(object) });
      }
    }
    return all;
  }
}

function directory(kind: Kind): string {
  return DIRECTORIES[kind] ?? kind;
}

/** Enough of YAML for a fake: maps and lists, and each scalar as JSON has it. */
function yaml(value: unknown, indent: string): string {
  if (value === null || typeof value !== "object") return `${indent}${JSON.stringify(value)}\n`;
  const nested = (inner: unknown) =>
    inner !== null && typeof inner === "object" && Object.keys(inner).length > 0
      ? `\n${yaml(inner, `${indent}  `)}`
      : ` ${typeof inner === "string" && /^[\w./() -]+$/.test(inner) ? inner : JSON.stringify(inner)}\n`;
  if (Array.isArray(value)) return value.map((inner) => `${indent}-${nested(inner)}`).join("");
  return Object.entries(value)
    .map(([name, inner]) => `${indent}${name}:${nested(inner)}`)
    .join("");
}
