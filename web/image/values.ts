/*
 * The values of JavaScript that a resting Go program holds (wasm_exec.js, `_values`), by names from which they can be
 * made again in another page. What nobody can name is not saved.
 */

/** What a value is there for: wasm/jsx SetRole. */
export type Role =
  | { kind: "page" }
  | { kind: "near" | "far"; channel: number }
  | { kind: "folder"; cluster: string }
  | { kind: "file"; cluster: string; name: string };

/** A value by its name. */
export type Named =
  | { undefined: true }
  | { is: null | boolean | string | number }
  /** The way from globalThis. */
  | { at: string }
  /** A function of Go's, by the number that Go knows it by. */
  | { go: number }
  | { role: Role; onmessage?: number }
  | { bytes: string }
  | { list: Named[] }
  | { fields: [string, Named][] }
  | { error: [name: string, message: string] }
  /** Something that is over when Go rests, and that nobody looks at again. */
  | { past: string };

/** The program's, of values that are made by it or for it. */
export interface Known {
  roles: WeakMap<object, Role>;
  /** Of functions that Go made (`_makeFuncWrapper`). */
  functions: WeakMap<object, number>;
}

/** A value that has no name. */
export class Nameless extends Error {}

/** What is over by the time Go rests: it waits for no promise then, and runs no handler. */
const PAST = [
  "MessageEvent",
  "Event",
  "ErrorEvent",
  "Promise",
  "MessageChannel",
  "FileSystemFileHandle",
  "FileSystemSyncAccessHandle",
  "FileSystemDirectoryHandle",
  "FileSystemDirectoryHandle AsyncIterator", // as Web IDL names iterators
];

/** What is known by its way from globalThis, beside the names of that. */
const WAYS = [
  "fs.constants",
  "navigator.storage",
  "crypto.subtle",
  "tabernetesHost.image",
  "tabernetesHost.config",
  "tabernetesHost.container",
];

const MOST_BYTES = 1 << 20;
const MOST_DEPTH = 6;

/** What the way from globalThis leads to. */
function find(way: string): unknown {
  return way
    .split(".")
    .reduce<unknown>((from, name) => (from as Record<string, unknown>)[name], globalThis);
}

/** Every way that is known, by what it leads to. */
export function ways(): Map<unknown, string> {
  const all = new Map<unknown, string>();
  const add = (way: string) => {
    try {
      const value = find(way);
      if ((typeof value === "object" && value) || typeof value === "function") {
        if (!all.has(value)) all.set(value, way);
      }
    } catch {
      // a property that cannot be read here
    }
  };
  for (let o: unknown = globalThis; o; o = Object.getPrototypeOf(o)) {
    Object.getOwnPropertyNames(o).forEach(add);
  }
  WAYS.forEach(add);
  return all;
}

/** Names a value. Throws Nameless. */
export function name(value: unknown, known: Known, all: Map<unknown, string>, depth = 0): Named {
  if (value === undefined) return { undefined: true };
  if (value === null) return { is: null };
  if (typeof value === "boolean" || typeof value === "string") return { is: value };
  if (typeof value === "number" && Number.isFinite(value)) return { is: value };
  if (typeof value !== "object" && typeof value !== "function") {
    throw new Nameless(`a ${typeof value}`);
  }
  const role = known.roles.get(value);
  if (role) {
    const handler = (value as { onmessage?: unknown }).onmessage;
    if (typeof handler !== "function") return { role };
    const number = known.functions.get(handler);
    if (number === undefined) throw new Nameless(`what listens to a ${role.kind}`);
    return { role, onmessage: number };
  }
  const way = all.get(value);
  if (way !== undefined) return { at: way };
  if (typeof value === "function") {
    const number = known.functions.get(value);
    if (number === undefined) throw new Nameless(`the function "${value.name}"`);
    return { go: number };
  }
  const kind = className(value);
  if (depth > MOST_DEPTH) throw new Nameless(`a deep ${kind}`);
  const inner = (v: unknown) => name(v, known, all, depth + 1);
  if (value instanceof Uint8Array) {
    if (value.length > MOST_BYTES) throw new Nameless(`${value.length} bytes`);
    return { bytes: encode(value) };
  }
  if (value instanceof ArrayBuffer && value.byteLength === 0) return { past: kind };
  if (value instanceof Error || kind === "DOMException") {
    const { name: what, message } = value as Error;
    return { error: [what, message] };
  }
  if (Array.isArray(value) || kind === "Arguments") {
    return { list: Array.from(value as ArrayLike<unknown>, inner) };
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) {
    return { fields: Object.entries(value).map(([key, field]) => [key, inner(field)]) };
  }
  if (PAST.includes(kind)) return { past: kind };
  throw new Nameless(`a ${kind}`);
}

function className(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** What makes values of another page. */
export interface Maker {
  role(role: Role): object;
  /** The same each time it is asked for the same number. */
  go(number: number): (...args: unknown[]) => unknown;
  /** Has it hear what comes to something with a role. */
  listen(role: Role, value: object, handler: (...args: unknown[]) => unknown): void;
}

/** Makes a value anew. */
export function make(named: Named, maker: Maker): unknown {
  if ("undefined" in named) return undefined;
  if ("is" in named) return named.is;
  if ("at" in named) return find(named.at);
  if ("go" in named) return maker.go(named.go);
  if ("bytes" in named) return decode(named.bytes);
  if ("list" in named) return named.list.map((element) => make(element, maker));
  if ("fields" in named) {
    return Object.fromEntries(named.fields.map(([key, field]) => [key, make(field, maker)]));
  }
  if ("error" in named) {
    const [what, message] = named.error;
    return Object.assign(new Error(message), { name: what });
  }
  if ("past" in named) return { past: named.past };
  const value = maker.role(named.role);
  if (named.onmessage !== undefined) maker.listen(named.role, value, maker.go(named.onmessage));
  return value;
}

const PIECE = 0x8000;

function encode(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  return btoa(text);
}

function decode(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}
