import type { Json } from "./tree.ts";

/*
 * Which elements of two versions of a list are the same one. A place says nothing: a condition that comes
 * before the others moves them all. Upstream merges lists by the values of some fields
 * (structured-merge-diff, x-kubernetes-list-map-keys); an object's managedFields name them.
 */

/**
 * Fields that tell elements apart, where managedFields name none: the first that all elements have, each otherwise.
 * core/apiserver/apitrace/elements.go has the same (merge-keys.test.ts).
 */
export const KEYS: readonly (readonly string[])[] = [
  ["uid"], // ownerReferences
  ["type"], // conditions
  ["containerPort", "protocol"],
  ["port", "protocol"],
  ["mountPath"],
  ["devicePath"],
  ["name"], // containers, env, volumes
  ["ip"], // podIPs, hostAliases
  ["topologyKey", "whenUnsatisfiable"],
  ["effect", "key"], // taints
];

/** What a field of a key is where it is left out. */
const DEFAULTS: Readonly<Record<string, string>> = { protocol: "TCP" };

/** Levels of managedFields that are read: an object is a stranger's. */
const LEVELS = 20;

/** By the names of the fields that lead to a list, `/spec/containers/ports`: the fields of its key. */
export type ListKeys = ReadonlyMap<string, readonly string[]>;

/** The keys that `metadata.managedFields` name: `k:{"type":"Ready"}`. */
export function listKeys(managedFields: Json | undefined): ListKeys {
  const found = new Map<string, readonly string[]>();
  const walk = (fields: Json | undefined, path: string, level: number): void => {
    if (!isObject(fields) || level > LEVELS) return;
    for (const [name, inner] of Object.entries(fields)) {
      if (name.startsWith("f:")) walk(inner, `${path}/${name.slice(2)}`, level + 1);
      if (!name.startsWith("k:")) continue;
      const keys = namesOf(name.slice(2));
      if (keys.length > 0) found.set(path, keys);
      walk(inner, path, level + 1);
    }
  };
  for (const entry of Array.isArray(managedFields) ? managedFields : []) {
    if (isObject(entry)) walk(entry.fieldsV1, "", 0);
  }
  return found;
}

function namesOf(text: string): string[] {
  try {
    const key = JSON.parse(text) as Json;
    return isObject(key) ? Object.keys(key) : [];
  } catch {
    return [];
  }
}

/**
 * Where each element of `now` stands in `old`; undefined: it is new. By its key, a plain value by itself, and by
 * its place where neither tells all of them apart.
 */
export function partners(
  old: readonly Json[],
  now: readonly Json[],
  named?: readonly string[],
): (number | undefined)[] {
  for (const keys of named ? [named, ...KEYS] : KEYS) {
    const found = paired(old, now, (one) => keyOf(one, keys));
    if (found) return found;
  }
  return paired(old, now, valueOf) ?? now.map((_, at) => (at < old.length ? at : undefined));
}

/** Undefined if `of` does not tell the elements of each list apart. */
function paired(
  old: readonly Json[],
  now: readonly Json[],
  of: (one: Json) => string | undefined,
): (number | undefined)[] | undefined {
  const [olds, nows] = [old, now].map((list) => list.map(of));
  if (!olds || !nows) return undefined;
  for (const list of [olds, nows]) {
    if (list.includes(undefined) || new Set(list).size < list.length) return undefined;
  }
  const places = new Map(olds.map((key, at) => [key, at]));
  return nows.map((key) => places.get(key));
}

/** Whether an element has these values of the fields of its key. */
export function isKnownBy(one: Json, key: ReadonlyMap<string, Json>): boolean {
  const own = keyOf(one, [...key.keys()]);
  return own !== undefined && own === JSON.stringify([...key.values()]);
}

function keyOf(one: Json, keys: readonly string[]): string | undefined {
  if (!isObject(one)) return undefined;
  const values: Json[] = [];
  for (const key of keys) {
    const value = Object.hasOwn(one, key) ? one[key] : DEFAULTS[key];
    if (value === undefined || isObject(value) || Array.isArray(value)) return undefined;
    values.push(value);
  }
  return JSON.stringify(values);
}

function valueOf(one: Json): string | undefined {
  return typeof one === "object" && one !== null ? undefined : JSON.stringify(one);
}

function isObject(value: Json | undefined): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
