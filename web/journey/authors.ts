/*
 * Who sets fields of an object that grows, and which mark each of them has: the same one at every object, whoever
 * comes first. The name stands beside it all the same.
 */

/** Whose a field is that came with a version which is forgotten, or with one after it. */
export const NOT_KNOWN = "not known";

/** Whose a field is that the command has found. */
export const BEFORE = "as it was before";

export const DEFAULTS = "defaults";
export const REGISTRY = "the server's registry";
export const ETCD = "etcd";

/** The marks, as growth-view.ts draws them. */
export type Mark = "asked" | "defaults" | "plugin" | "registry" | "later" | "none";

/** Those who are always the same. */
const FIXED: Readonly<Record<string, Mark>> = {
  kubectl: "asked",
  [DEFAULTS]: "defaults",
  [REGISTRY]: "registry",
  [ETCD]: "none",
  [BEFORE]: "none",
  [NOT_KNOWN]: "none",
};

/** Upstream's admission plugins are called so, "ServiceAccount", and nobody else who writes. */
const PLUGIN = /^[A-Z][A-Za-z0-9]+$/;

/** The mark of an author, who may have written "by its Binding"; `asked` is who had the object created. */
export function markOf(author: string, asked: string): Mark {
  const [name = ""] = author.split(", by ");
  if (Object.hasOwn(FIXED, name)) return FIXED[name] ?? "none";
  if (name === asked) return "asked";
  return PLUGIN.test(name) ? "plugin" : "later";
}

/** A mark, in a few words who has it among those who set something, and all of their names. */
export interface KeyEntry {
  readonly mark: Mark;
  readonly who: string;
  readonly names: string;
}

/** In which order they stand, as an object comes to its fields, and what several with one mark are called. */
const MARKS: readonly (readonly [mark: Mark, several: (n: number) => string])[] = [
  ["asked", (n) => `${n} who asked`],
  ["defaults", (n) => `${n} defaults`],
  ["plugin", (n) => `${n} admission plugins`],
  ["registry", (n) => `${n} registries`],
  ["later", (n) => `${n} who wrote later`],
  ["none", (n) => `${n} others`],
];
/** Words of one line that are shorter in the key, beside others. */
const SHORT: Readonly<Record<string, string>> = { [REGISTRY]: "registry" };

/** How many of those who wrote later are named. */
const NAMED = 3;

/** The key of colours of an object's lines: whose there are, and nobody else. */
export function keyOf(
  lines: readonly { readonly by: string; readonly mark: Mark }[],
): readonly KeyEntry[] {
  const found = new Map<Mark, Set<string>>();
  for (const { by, mark } of lines) {
    const [name = ""] = by.split(", by ");
    if (name !== "") found.set(mark, (found.get(mark) ?? new Set()).add(name));
  }
  return MARKS.flatMap(([mark, several]) => {
    const [first, ...more] = found.get(mark) ?? [];
    if (first === undefined) return [];
    const names = [first, ...more].join(", ");
    const one = Object.hasOwn(SHORT, first) ? (SHORT[first] ?? first) : first;
    // Who they are is what one looks for; plugins stand over their lines.
    const few = mark === "later" && more.length < NAMED;
    const who = more.length === 0 ? one : few ? names : several(more.length + 1);
    return [{ mark, who: mark === "none" ? names : who, names }];
  });
}
