import type { EtcdObject, TraceObject, TraceStep } from "../rpc/protocol.ts";
import { textOf } from "../trace/words.ts";

/** Versions that are kept, and the UTF-16 code units of all of them. */
const MOST = 300;
const MOST_TEXT = 4 << 20;

/**
 * How a version is asked for: without what the trace withholds, since the journey shows it unasked, and to whoever
 * looks on. The cut is the cluster's (core/apiserver/etcdview/cut.go), and no second table of it is here.
 */
export interface How {
  readonly revision: number;
  readonly format: "json";
  readonly cut: true;
}

interface Store {
  object(key: string, how: How): Promise<EtcdObject>;
}

/** A write as if it had written what was there before it; undefined if that was nothing. */
export function before(write: TraceStep): TraceStep | undefined {
  const revision = Number(textOf(write.details, "previous"));
  return revision > 0
    ? { ...write, details: { key: textOf(write.details, "key"), revision } }
    : undefined;
}

/**
 * Versions of objects as the store has them, kept in the page: etcd forgets the past within minutes
 * (compaction), and who reads a chapter takes longer.
 */
export class Versions implements Store {
  readonly #store: Store;
  readonly #kept = new Map<string, EtcdObject>();
  #size = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  async object(key: string, how: How): Promise<EtcdObject> {
    const name = `${how.revision} ${key}`;
    const known = this.#kept.get(name);
    if (known) return known;
    const found = await this.#store.object(key, how);
    this.#keep(name, found);
    return found;
  }

  /** Reads what the steps wrote of the objects that those of a story are about, one after the other. */
  async read(steps: readonly TraceStep[], story: readonly TraceStep[]): Promise<void> {
    const about = new Set(story.map(({ object }) => named(object)));
    const puts = steps.filter(
      ({ kind, object }) => kind === "etcd.put" && about.has(named(object)),
    );
    // And what the command has found of them.
    const firsts = new Map<string, TraceStep>();
    for (const put of puts.toReversed()) firsts.set(named(put.object), put);
    const found = [...firsts.values()].flatMap((put) => before(put) ?? []);
    for (const { details } of [...found, ...puts].slice(0, MOST)) {
      const revision = Number(textOf(details, "revision"));
      try {
        if (revision) {
          await this.object(textOf(details, "key"), { revision, format: "json", cut: true });
        }
      } catch {
        // It is forgotten already: what grows says so.
      }
    }
  }

  #keep(name: string, object: EtcdObject): void {
    this.#kept.set(name, object);
    this.#size += object.text.length;
    for (const [oldest, { text }] of this.#kept) {
      if (this.#kept.size <= MOST && this.#size <= MOST_TEXT) return;
      this.#kept.delete(oldest);
      this.#size -= text.length;
    }
  }
}

function named({ group = "", resource = "", namespace = "", name = "" }: TraceObject = {}): string {
  return `${group} ${resource} ${namespace} ${name}`;
}
