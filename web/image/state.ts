/*
 * What a Go program is made of while it rests, beside its linear memory: the mutable globals of its module (exported
 * by wasm/build) and the tables of wasm_exec.js.
 */
import { make, name, Nameless, ways, type Known, type Maker, type Named } from "./values.ts";

/** wasm/build has the same name. */
const GLOBAL = "tabernetes.global.";

/** Of wasm_exec.js' class, what it keeps for a program that runs. */
export interface Running {
  mem: DataView;
  exited: boolean;
  _inst: WebAssembly.Instance;
  _values: unknown[];
  _goRefCounts: number[];
  _ids: Map<unknown, number>;
  _idPool: number[];
  _pendingEvent: unknown;
  _resume(): void;
  _makeFuncWrapper(id: number): (...args: unknown[]) => unknown;
}

export interface State {
  /** Bytes of memory. */
  memory: number;
  globals: Record<string, string>;
  /** By their numbers; null where there is none. The first few are wasm_exec.js' own. */
  values: (Named | null)[];
  /** How often Go holds each. */
  counts: number[];
  free: number[];
}

/** wasm_exec.js' own values: NaN, 0, null, true, false, globalThis and itself. */
const OWN = 7;

const memoryOf = (instance: WebAssembly.Instance) => instance.exports.mem as WebAssembly.Memory;

/** What a program that rests is made of. Throws Nameless. */
export function stateOf(go: Running, known: Known): State {
  if (
    go._pendingEvent !== null &&
    (go._pendingEvent as { result?: unknown }).result === undefined
  ) {
    // It was handled: Go has taken it, and rests.
    go._pendingEvent = null;
  }
  const all = ways();
  const free = new Set(go._idPool);
  const nameless: string[] = [];
  const values = go._values.map((value, id) => {
    if (id < OWN || free.has(id)) return null;
    try {
      return name(value, known, all);
    } catch (error) {
      if (!(error instanceof Nameless)) throw error;
      nameless.push(error.message);
      return null;
    }
  });
  if (nameless.length > 0) {
    throw new Nameless(`the program holds ${[...new Set(nameless)].slice(0, 8).join(", ")}`);
  }
  const globals = Object.entries(go._inst.exports)
    .filter(([what]) => what.startsWith(GLOBAL))
    .map(([what, global]) => [what, String((global as WebAssembly.Global).value)]);
  if (globals.length === 0) throw new Nameless("a module that does not show its globals");
  return {
    memory: memoryOf(go._inst).buffer.byteLength,
    globals: Object.fromEntries(globals) as Record<string, string>,
    values,
    counts: go._goRefCounts.map((count) => (Number.isFinite(count) ? count : -1)),
    free: [...go._idPool],
  };
}

/** Makes a fresh instance large enough for a state; its pages come next. */
export function grow(instance: WebAssembly.Instance, state: State): ArrayBuffer {
  const memory = memoryOf(instance);
  const pages = (state.memory - memory.buffer.byteLength) / (64 << 10);
  if (pages > 0) memory.grow(pages);
  return memory.buffer;
}

/** Has `go` be what the state says, in an instance that has its memory. Nothing runs yet. */
export function putBack(
  go: Running,
  instance: WebAssembly.Instance,
  state: State,
  { role, listen }: Pick<Maker, "role" | "listen">,
): Maker["go"] {
  for (const [what, value] of Object.entries(state.globals)) {
    const global = instance.exports[what] as WebAssembly.Global;
    global.value = typeof global.value === "bigint" ? BigInt(value) : Number(value);
  }
  const functions = new Map<number, (...args: unknown[]) => unknown>();
  const goFunction = (number: number) => {
    const made = functions.get(number) ?? go._makeFuncWrapper(number);
    functions.set(number, made);
    return made;
  };
  go._inst = instance;
  go.mem = new DataView(memoryOf(instance).buffer);
  go.exited = false;
  go._pendingEvent = null;
  const own: unknown[] = [NaN, 0, null, true, false, globalThis, go];
  go._values = state.values.map((named, id) => {
    if (id < OWN) return own[id];
    return named === null ? null : make(named, { role, listen, go: goFunction });
  });
  go._goRefCounts = state.counts.map((count) => (count < 0 ? Infinity : count));
  go._idPool = [...state.free];
  const free = new Set(state.free);
  go._ids = new Map();
  go._values.forEach((value, id) => {
    if (id > 0 && !free.has(id)) go._ids.set(value, id);
  });
  return goFunction;
}
