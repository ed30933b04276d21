import { messageOf } from "../rpc/reason.ts";
import type { Disposable } from "../state/disposable.ts";
import { jsonLines } from "./lines.ts";
import type { Column, KubeObject, Row, Status, Table, WatchEvent } from "./types.ts";

export type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

/** What a reflector tells: first a whole list, then every change to it. */
export type Change<T extends KubeObject> =
  { type: "list"; rows: Row<T>[] } | { type: "put"; row: Row<T> } | { type: "delete"; row: Row<T> };

export interface ReflectorOptions<T extends KubeObject> {
  fetch: Fetch;
  /** The collection, for example "/api/v1/pods". */
  path: string;
  /** Narrows the list, for example { labelSelector: "app=web" }. */
  query?: Readonly<Record<string, string>>;
  /** How much of each object comes with its row; the whole one, when left out. */
  include?: "Object" | "Metadata";
  /** Leaves out who set which field (managedFields), which can be a third of an object. */
  lean?: boolean;
  /** Lists once and ends: for what the API cannot watch. */
  once?: boolean;
  onChange: (change: Change<T>) => void;
  /** Called with the columns of each list, before its rows. */
  onColumns?: (columns: readonly Column[]) => void;
  /** Called when the connection is lost, with why, and with undefined when it is back. */
  onState?: (problem: string | undefined) => void;
  /** Milliseconds before the first retry; doubles up to 8 s. */
  retryAfter?: number;
}

const ACCEPT = "application/json;as=Table;v=v1;g=meta.k8s.io";

/**
 * Lists a collection and follows it, as client-go's tools/cache Reflector does: a watch that ends
 * or breaks goes on from the last version seen, one that is refused, as its version is gone (410),
 * begins again with a list.
 */
export function reflect<T extends KubeObject>(options: ReflectorOptions<T>): Disposable {
  const stop = new AbortController();
  void follow(options, stop.signal);
  return { dispose: () => stop.abort() };
}

async function follow<T extends KubeObject>(
  options: ReflectorOptions<T>,
  stop: AbortSignal,
): Promise<void> {
  const first = options.retryAfter ?? 250;
  let wait = first;
  let version: string | undefined;
  while (!stop.aborted) {
    try {
      version ??= await list(options, stop);
      if (options.once) return;
      const began = performance.now();
      for await (const seen of watch(options, version, stop)) version = seen;
      // The server ends a watch after some minutes: that is no failure, unless it was at once.
      if (performance.now() - began > 5000) wait = first;
    } catch (error) {
      if (isAborted(stop)) return;
      if (error instanceof Gone) {
        version = undefined;
        continue;
      }
      // A connection that broke says nothing of what is stored: it goes on from where it was.
      if (error instanceof Refused) version = undefined;
      options.onState?.(messageOf(error));
    }
    await delay(wait, stop);
    wait = Math.min(wait * 2, 8000);
  }
}

/** Lists everything; returns the version from which to watch. */
async function list<T extends KubeObject>(
  options: ReflectorOptions<T>,
  signal: AbortSignal,
): Promise<string> {
  const { fetch, path, query, include = "Object", lean, onChange, onColumns, onState } = options;
  const search = new URLSearchParams({ ...query, includeObject: include, resourceVersion: "0" });
  const response = await fetch(`${path}?${search.toString()}`, {
    headers: { accept: ACCEPT },
    signal,
  });
  if (!response.ok) throw new Refused(`list ${path}: ${await reason(response)}`);
  const table = (await response.json()) as Table<T>;
  onState?.(undefined);
  onColumns?.(table.columnDefinitions ?? []);
  onChange({ type: "list", rows: toRows(table, columnsOf(table) ?? [], lean) });
  return table.metadata.resourceVersion ?? "0";
}

/** Follows from `version`; yields each later version once its change was told. */
async function* watch<T extends KubeObject>(
  options: ReflectorOptions<T>,
  version: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { fetch, path, query: narrow, include = "Object", lean, onChange, onState } = options;
  const search = new URLSearchParams({
    ...narrow,
    includeObject: include,
    watch: "1",
    allowWatchBookmarks: "true",
    resourceVersion: version,
  });
  const response = await fetch(`${path}?${search.toString()}`, {
    headers: { accept: ACCEPT },
    signal,
  });
  if (response.status === 410) throw new Gone();
  if (!response.ok || !response.body) {
    const text = `watch ${path}: ${await reason(response)}`;
    // One that asks for patience has lost nothing, as client-go sees it (isWatchErrorRetriable).
    throw response.status === 429 ? new Error(text) : new Refused(text);
  }
  onState?.(undefined);
  let columns: string[] = [];
  for await (const document of jsonLines(response.body)) {
    const event = document as WatchEvent;
    if (event.type === "ERROR") {
      const status = event.object as Status;
      if (status.code === 410) throw new Gone();
      throw new Refused(`watch ${path}: ${status.message ?? "unknown error"}`);
    }
    const table = event.object as Table<T>;
    columns = columnsOf(table) ?? columns;
    for (const row of toRows(table, columns, lean)) {
      if (event.type !== "BOOKMARK") {
        onChange({ type: event.type === "DELETED" ? "delete" : "put", row });
      }
      yield row.object.metadata.resourceVersion;
    }
  }
}

/** A function, because it can have changed since TypeScript last saw it read. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** The version asked for is compacted: only a new list helps. */
class Gone extends Error {}

/** The server answered, and it was no. */
class Refused extends Error {}

function columnsOf(table: Table<KubeObject>): string[] | undefined {
  const names = table.columnDefinitions?.map((column) => column.name);
  return names && names.length > 0 ? names : undefined;
}

function toRows<T extends KubeObject>(table: Table<T>, columns: string[], lean = false): Row<T>[] {
  return (table.rows ?? []).map(({ cells, object }) => ({
    object: lean ? withoutManagedFields(object) : object,
    cells: Object.fromEntries(
      columns.map((name, i) => [name, String((cells[i] as string | number | undefined) ?? "")]),
    ),
  }));
}

/** Not deleted: V8 keeps an object from which something was in a form that takes more. */
function withoutManagedFields<T extends KubeObject>(object: T): T {
  return { ...object, metadata: { ...object.metadata, managedFields: undefined } };
}

async function reason(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const status = JSON.parse(text) as Status;
    if (status.message) return status.message;
  } catch {
    // Not a Status: the text itself says most.
  }
  return text.slice(0, 200) || `${response.status} ${response.statusText}`;
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
