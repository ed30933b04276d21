import { expect, test } from "vitest";
import { make, name, Nameless, ways, type Known, type Role } from "./values.ts";

function known(): Known {
  return { roles: new WeakMap<object, Role>(), functions: new WeakMap() };
}

const maker = {
  role: (role: Role) => ({ made: role }),
  go: (number: number) => () => number,
  listen: (_role: Role, value: object, onmessage: unknown) =>
    void Object.assign(value, { onmessage }),
};

function given(): unknown {
  // eslint-disable-next-line prefer-rest-params -- what a function of Go's is called with comes so
  return arguments;
}

/** There and back, by way of JSON, as in an image. */
function again(value: unknown, by = known()): unknown {
  const named = name(value, by, ways());
  return make(JSON.parse(JSON.stringify(named)) as typeof named, maker);
}

test("what is known by its way from globalThis is the other page's own", () => {
  for (const value of [Object, Uint8Array, JSON, globalThis, Math, console]) {
    expect(again(value)).toBe(value);
  }
});

test("what has a content is made by it", () => {
  for (const value of [
    undefined,
    null,
    true,
    "text",
    1.5,
    new Uint8Array([0, 1, 255]),
    { a: 1, list: [null, { b: "c" }] },
    [],
  ]) {
    expect(again(value)).toEqual(value);
  }
  const error = again(new TypeError("no")) as Error;
  expect([error.name, error.message]).toEqual(["TypeError", "no"]);
  const args: unknown = Reflect.apply(given, undefined, [1, "two"]);
  expect(again(args)).toEqual([1, "two"]);
});

test("Go's functions are known by their numbers, and what listens with them", () => {
  const by = known();
  const listens = () => 1;
  by.functions.set(listens, 12);
  expect((again(listens, by) as () => number)()).toBe(12);
  const { port1, port2 } = new MessageChannel();
  by.roles.set(port1, { kind: "near", channel: 1 });
  port1.onmessage = listens;
  const made = again(port1, by) as { made: Role; onmessage: () => number };
  expect(made.made).toEqual({ kind: "near", channel: 1 });
  expect(made.onmessage()).toBe(12);
  port1.onmessage = () => undefined;
  expect(() => again(port1, by)).toThrow(Nameless);
  port1.close();
  port2.close();
});

test("what is over is made as something that nobody looks at", () => {
  expect(again(Promise.resolve())).toEqual({ past: "Promise" });
  // What lists a folder of the browser's storage: Web IDL has a space in its name.
  class Lists {
    readonly [Symbol.toStringTag] = "FileSystemDirectoryHandle AsyncIterator";
  }
  expect(again(new Lists())).toEqual({ past: "FileSystemDirectoryHandle AsyncIterator" });
});

const NAMELESS: [what: string, value: unknown][] = [
  ["a function of nobody's", () => undefined],
  ["a port of nobody's", new MessageChannel().port1],
  ["an object of a class", new URL("https://a")],
  ["a symbol", Symbol("s")],
  ["a map", new Map()],
  ["too much", new Uint8Array((1 << 20) + 1)],
  ["something inside of something", { a: [() => undefined] }],
  ["an abort controller", new AbortController()],
];

test.each(NAMELESS)("%s has no name", (_what, value) => {
  expect(() => name(value, known(), ways())).toThrow(Nameless);
});

test("a circle has no name", () => {
  const circle: Record<string, unknown> = {};
  circle.again = circle;
  expect(() => name(circle, known(), ways())).toThrow(Nameless);
});
