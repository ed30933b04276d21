import { expect, test } from "vitest";
import { stationWords } from "./station-words.ts";

const WIDE = 128;
const PLUGINS = ["NamespaceLifecycle", ...Array.from({ length: 30 }, (_, i) => `p${i}`)];

test("a name that has room is whole, smaller if need be", () => {
  expect(stationWords("authentication", ["client certificate"], true, WIDE)).toEqual({
    text: "client certificate",
    size: expect.closeTo(11.85, 2) as number,
  });
  expect(stationWords("authorization", ["Node", "RBAC"], true, WIDE)).toEqual({
    text: "RBAC",
    size: 14,
  });
});

test("of who would be asked it is said how many they are, and what", () => {
  const words = (station: string, names: readonly string[]) =>
    stationWords(station, names, false, WIDE).text;
  expect(words("admission", PLUGINS)).toBe("31 plugins");
  expect(words("authentication", ["front proxy's headers", "anonymous"])).toBe("2 authenticators");
  expect(words("authorization", ["RBAC"])).toBe("1 authorizer");
  expect(words("storage", ["etcd"])).toBe("etcd");
});

test("what has no room is cut", () => {
  const said = stationWords("authentication", ["y", "x".repeat(80)], true, WIDE);
  expect(said.text).toBe(`${"x".repeat(17)}…`);
  expect(said.size).toBeLessThan(12);
});

test("of those that were asked it is whose word it was, or how many they are", () => {
  expect(stationWords("admission", PLUGINS, true, WIDE).text).toBe("31 plugins");
  expect(stationWords("validation", ["one"], true, WIDE).text).toBe("1 plugin");
  expect(stationWords("storage", [], true, WIDE).text).toBe("");
});
