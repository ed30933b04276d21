import type { GrownLine } from "./growth.ts";

/** A value as JSON has it. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Lines and levels that are drawn at most, and characters of one value: objects are strangers'. */
const LINES = 400;
const LEVELS = 20;
const VALUE = 120;

/** Keys that stand first in an object, as people write them. */
const FIRST = ["apiVersion", "kind", "metadata", "name", "spec"];

/** An object of which each value is known with who set it, and whether that was just now. */
export class Tree {
  #root: Json = {};
  readonly #by = new Map<string, string>();
  #fresh = new Set<string>();
  #now = false;

  /** Whether there is anything yet. */
  get known(): boolean {
    return this.#by.size > 0;
  }

  /** What is set from now on is fresh, or not. */
  begin(fresh: boolean): void {
    this.#now = fresh;
    if (fresh) this.#fresh = new Set();
  }

  /** Makes it the object: what differs is set by `by`. A value that was withheld stays as it is. */
  meet(object: unknown, by: string, withheld?: string): void {
    this.#root = this.#merge(this.#root, object as Json, "", by, withheld) ?? {};
  }

  /** Takes over changes as the API server's steps list them: paths with what was and is there. */
  change(changes: readonly unknown[], by: string): void {
    for (const one of changes) {
      const { path, after } = one as { path?: unknown; after?: Json };
      if (typeof path === "string") this.set(path, after, by);
    }
  }

  /** Sets one value by its path, `.spec.containers[0]["a.b"]`; undefined takes it away. */
  set(path: string, value: Json | undefined, by: string): void {
    const keys = keysOf(path);
    if (keys.length === 0 || keys.length > LEVELS) return;
    let at: Json = this.#root;
    let reached = "";
    for (const key of keys.slice(0, -1)) {
      reached += `/${key}`;
      const inner: Json | undefined = get(at, key);
      if (typeof inner !== "object" || inner === null) {
        if (value === undefined) return;
        const made: Json = {};
        put(at, key, made);
        this.#author(reached, by);
        at = made;
      } else at = inner;
    }
    const last = keys.at(-1) ?? "";
    const merged = this.#merge(get(at, last), value, `${reached}/${last}`, by);
    if (merged === undefined) remove(at, last);
    else put(at, last, merged);
  }

  lines(): GrownLine[] {
    const lines: GrownLine[] = [];
    const line = (text: string, path: string) => {
      if (lines.length < LINES) {
        lines.push({ text, by: this.#by.get(path) ?? "", fresh: this.#fresh.has(path) });
      }
    };
    const walk = (value: Json, path: string, indent: string, begin: string) => {
      const list = Array.isArray(value);
      let first = true;
      for (const [key, inner] of entriesOf(value)) {
        const at = `${path}/${key}`;
        const lead = first ? begin : indent;
        first = false;
        const label = list ? "- " : `${scalar(key)}:`;
        if (isEmpty(inner) || typeof inner !== "object" || inner === null) {
          line(`${lead}${label}${list ? "" : " "}${scalar(inner)}`, at);
        } else if (list) {
          walk(inner, at, `${indent}  `, `${lead}- `);
        } else {
          line(`${lead}${label}`, at);
          const deeper = Array.isArray(inner) ? indent : `${indent}  `;
          walk(inner, at, deeper, deeper);
        }
      }
    };
    walk(this.#root, "", "", "");
    return lines;
  }

  #merge(
    old: Json | undefined,
    value: Json | undefined,
    path: string,
    by: string,
    withheld?: string,
  ): Json | undefined {
    if (old !== undefined && withheld !== undefined && old === withheld) return old;
    if (value === undefined || path.split("/").length > LEVELS) return undefined;
    if (typeof value !== "object" || value === null) {
      if (old !== value) this.#author(path, by);
      return value;
    }
    if (old === undefined || Array.isArray(old) !== Array.isArray(value)) this.#author(path, by);
    const made: Json = Array.isArray(value) ? [] : {};
    for (const [key, inner] of Object.entries(value)) {
      const merged = this.#merge(get(old, key), inner, `${path}/${key}`, by, withheld);
      if (merged !== undefined) put(made, key, merged);
    }
    return made;
  }

  #author(path: string, by: string): void {
    this.#by.set(path, by);
    if (this.#now) this.#fresh.add(path);
  }
}

/** The keys of a path, from its front. */
export function keysOf(path: string): string[] {
  const keys: string[] = [];
  const part = /\.([A-Za-z0-9_-]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gy;
  for (let found = part.exec(path); found; found = part.exec(path)) {
    const [, name, index, quoted] = found;
    keys.push(name ?? index ?? unquoted(quoted ?? ""));
  }
  return keys;
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

function get(of: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(of)) return of[Number(key)];
  if (typeof of !== "object" || of === null || !Object.hasOwn(of, key)) return undefined;
  return of[key];
}

function put(of: Json, key: string, value: Json): void {
  if (Array.isArray(of)) of[Math.min(Number(key), of.length)] = value;
  // A key is a stranger's: `__proto__` is one like any other.
  else if (typeof of === "object" && of !== null) {
    Object.defineProperty(of, key, { value, writable: true, enumerable: true, configurable: true });
  }
}

function remove(of: Json, key: string): void {
  if (Array.isArray(of)) of.splice(Number(key), 1);
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a tree of JSON has any keys
  else if (typeof of === "object" && of !== null) delete of[key];
}

function entriesOf(value: Json): [string, Json][] {
  if (typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value);
  if (Array.isArray(value)) return entries;
  const rank = (key: string) => (FIRST.includes(key) ? FIRST.indexOf(key) : FIRST.length);
  return entries.sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

function isEmpty(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** A value as YAML has it. */
function scalar(value: Json): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "[]" : "{}";
  if (typeof value !== "string") return String(value);
  const text = value.length > VALUE ? `${value.slice(0, VALUE)}…` : value;
  const plain =
    /^[A-Za-z/(][^\n\t]*$/.test(text) &&
    !/: |\s#|:$|\s$/.test(text) &&
    !/^(true|false|yes|no|on|off|null)$/i.test(text);
  return plain ? text : JSON.stringify(text);
}
