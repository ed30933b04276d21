import type { GrownLine } from "./growth.ts";
import { isKnownBy, partners, type ListKeys } from "./merge-keys.ts";

/** A value as JSON has it. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Lines and levels that are drawn at most, and characters of one value: objects are strangers'. */
const LINES = 400;
const LEVELS = 20;
const VALUE = 120;

/** Keys that stand first in an object, as people write them. */
const FIRST = ["apiVersion", "kind", "metadata", "name", "spec"];

/** A value with who set it. It moves with its author, wherever in a list it comes to stand. */
interface Value {
  of: Scalar | Map<string, Value> | Value[];
  by: string;
  /** Which of those that are looked at set it; 0 for none. */
  turn: number;
  /** Who is not looked at set it meanwhile. */
  meanwhile: boolean;
}

type Scalar = string | number | boolean | null;

/** An object of which each value is known with who set it, and whether that was just now. */
export class Tree {
  #root: Value = { of: new Map(), by: "", turn: 0, meanwhile: false };
  #now = false;
  #meanwhile = false;
  /** Goes up with each step that is looked at. */
  #turn = 0;

  /** Whether there is anything yet. */
  get known(): boolean {
    return !isEmpty(this.#root);
  }

  /** What is set from now on is fresh, or not; `meanwhile` it is somebody else's. */
  begin(fresh: boolean, meanwhile = false): void {
    if (fresh && !this.#now) this.#turn++;
    this.#now = fresh;
    this.#meanwhile = meanwhile;
  }

  /**
   * Makes it the object: what differs is set by `by`. A value that was withheld stays as it is. `keys` are those of
   * its lists, by which an element is the same one in another place.
   */
  meet(object: unknown, by: string, withheld?: string, keys?: ListKeys): void {
    const merged = this.#merge(this.#root, object as Json, "", 1, { by, withheld, keys });
    if (merged) this.#root = merged;
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
    let at = this.#root;
    let fields = "";
    for (const key of keys.slice(0, -1)) {
      fields += nameOf(at, key);
      let inner = get(at, key);
      if (!inner || !holds(inner)) {
        if (value === undefined) return;
        inner = this.#made(new Map(), by);
        put(at, key, inner);
      }
      at = inner;
    }
    const last = keys.at(-1) ?? "";
    fields += nameOf(at, last);
    const merged = this.#merge(get(at, last), value, fields, keys.length + 1, { by });
    if (merged === undefined) remove(at, last);
    else put(at, last, merged);
  }

  lines(): Omit<GrownLine, "mark">[] {
    const lines: Omit<GrownLine, "mark">[] = [];
    const line = (text: string, { by, turn, meanwhile }: Value) => {
      if (lines.length >= LINES) return;
      const now = turn > 0 && turn === this.#turn;
      lines.push({ text, by, fresh: now && !meanwhile, ...(now && meanwhile && { meanwhile }) });
    };
    const walk = (value: Value, indent: string, begin: string) => {
      const list = Array.isArray(value.of);
      let first = true;
      for (const [key, inner] of entriesOf(value)) {
        const lead = first ? begin : indent;
        first = false;
        const label = list ? "- " : `${scalar(key)}:`;
        if (isEmpty(inner) || !holds(inner)) {
          line(`${lead}${label}${list ? "" : " "}${shown(inner)}`, inner);
        } else if (list) {
          walk(inner, `${indent}  `, `${lead}- `);
        } else {
          line(`${lead}${label}`, inner);
          const deeper = Array.isArray(inner.of) ? indent : `${indent}  `;
          walk(inner, deeper, deeper);
        }
      }
    };
    walk(this.#root, "", "");
    return lines;
  }

  /** `fields` has the names of those that lead there: an element is under its list's. */
  #merge(
    old: Value | undefined,
    value: Json | undefined,
    fields: string,
    level: number,
    how: {
      readonly by: string;
      readonly withheld?: string | undefined;
      readonly keys?: ListKeys | undefined;
    },
  ): Value | undefined {
    if (old && how.withheld !== undefined && old.of === how.withheld) return old;
    if (value === undefined || level > LEVELS) return undefined;
    if (typeof value !== "object" || value === null) {
      return old?.of === value ? old : this.#made(value, how.by);
    }
    if (Array.isArray(value)) {
      const olds = old && Array.isArray(old.of) ? old.of : undefined;
      const same = partners((olds ?? []).map(jsonOf), value, how.keys?.get(fields));
      const made = value.flatMap((inner, at) => {
        const merged = this.#merge(olds?.[same[at] ?? -1], inner, fields, level + 1, how);
        return merged ? [merged] : [];
      });
      return old && olds ? { ...old, of: made } : this.#made(made, how.by);
    }
    const known = old?.of instanceof Map ? old.of : undefined;
    const made = new Map<string, Value>();
    for (const [key, inner] of Object.entries(value)) {
      const merged = this.#merge(known?.get(key), inner, `${fields}/${key}`, level + 1, how);
      if (merged) made.set(key, merged);
    }
    return old && known ? { ...old, of: made } : this.#made(made, how.by);
  }

  #made(of: Value["of"], by: string): Value {
    return { of, by, turn: this.#now ? this.#turn : 0, meanwhile: this.#meanwhile };
  }
}

/** A step of a path: a field, a place in a list, or what an element of one is known by. */
export type Key = string | ReadonlyMap<string, Json>;

const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
const FIELD = String.raw`[A-Za-z]+=(?:${QUOTED}|[\w.+-]+)`;

/** The keys of a path, from its front: `.spec.containers[name="nginx"].args[0]["a.b"]`. None if it is cut off, or no path. */
export function keysOf(path: string): Key[] {
  const keys: Key[] = [];
  const part = new RegExp(
    String.raw`\.([A-Za-z0-9_-]+)|\[(\d+)\]|\[(${QUOTED})\]|\[(${FIELD}(?:,${FIELD})*)\]`,
    "gy",
  );
  let end = 0;
  for (let found = part.exec(path); found; found = part.exec(path)) {
    end = part.lastIndex;
    const [, name, index, quoted, fields] = found;
    keys.push(fields === undefined ? (name ?? index ?? unquoted(quoted ?? "")) : fieldsOf(fields));
  }
  return end === path.length ? keys : [];
}

function fieldsOf(text: string): ReadonlyMap<string, Json> {
  const fields = new Map<string, Json>();
  for (const [field] of text.matchAll(new RegExp(FIELD, "g"))) {
    const at = field.indexOf("=");
    fields.set(field.slice(0, at), parsed(field.slice(at + 1)));
  }
  return fields;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function unquoted(text: string): string {
  const value = parsed(text);
  return typeof value === "string" ? value : text;
}

/** What a key adds to the names of the fields that lead there: an element nothing. */
function nameOf({ of }: Value, key: Key): string {
  return typeof key === "string" && !Array.isArray(of) ? `/${key}` : "";
}

function holds({ of }: Value): boolean {
  return typeof of === "object" && of !== null;
}

/** Where in a list a key leads to; -1 if there is no such element. */
function placeIn(list: readonly Value[], key: Key): number {
  if (typeof key === "string") return Number(key) < list.length ? Number(key) : -1;
  return list.findIndex((one) => isKnownBy(jsonOf(one), key));
}

function get({ of }: Value, key: Key): Value | undefined {
  if (Array.isArray(of)) return of[placeIn(of, key)];
  return of instanceof Map && typeof key === "string" ? of.get(key) : undefined;
}

function put({ of }: Value, key: Key, value: Value): void {
  if (Array.isArray(of)) {
    const at = placeIn(of, key);
    of[at < 0 ? of.length : at] = value;
  } else if (of instanceof Map && typeof key === "string") of.set(key, value);
}

function remove({ of }: Value, key: Key): void {
  if (Array.isArray(of)) {
    const at = placeIn(of, key);
    if (at >= 0) of.splice(at, 1);
  } else if (of instanceof Map && typeof key === "string") of.delete(key);
}

function jsonOf({ of }: Value): Json {
  if (Array.isArray(of)) return of.map(jsonOf);
  if (!(of instanceof Map)) return of;
  // A key is a stranger's: `__proto__` is one like any other.
  return Object.fromEntries([...of].map(([key, inner]) => [key, jsonOf(inner)]));
}

function entriesOf({ of }: Value): [string, Value][] {
  if (Array.isArray(of)) return of.map((inner, at) => [String(at), inner]);
  if (!(of instanceof Map)) return [];
  const rank = (key: string) => (FIRST.includes(key) ? FIRST.indexOf(key) : FIRST.length);
  return [...of].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

function isEmpty({ of }: Value): boolean {
  return Array.isArray(of) ? of.length === 0 : of instanceof Map && of.size === 0;
}

/** What holds nothing, or a plain value, as YAML has it. */
function shown({ of }: Value): string {
  if (Array.isArray(of)) return "[]";
  return of instanceof Map ? "{}" : scalar(of);
}

/** A plain value as YAML has it. */
function scalar(value: Scalar): string {
  if (typeof value !== "string") return String(value);
  const text = value.length > VALUE ? `${value.slice(0, VALUE)}…` : value;
  const plain =
    /^[A-Za-z/(][^\n\t]*$/.test(text) &&
    !/: |\s#|:$|\s$/.test(text) &&
    !/^(true|false|yes|no|on|off|null)$/i.test(text);
  return plain ? text : JSON.stringify(text);
}
