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

test("of who would be asked the first stands whole, with how many more there are", () => {
  const { text, size } = stationWords("admission", PLUGINS, false, 168);
  expect(text).toBe("NamespaceLifecycle +30");
  expect(size).toBeLessThan(14);
});

test("what has no room is cut, and the count is not", () => {
  const said = stationWords("authentication", ["x".repeat(80), "y", "z"], false, WIDE);
  expect(said.text).toBe(`${"x".repeat(14)}… +2`);
  expect(said.size).toBeLessThan(12);
});

test("of those that were asked it is whose word it was, or how many they are", () => {
  expect(stationWords("admission", PLUGINS, true, WIDE).text).toBe("31 plugins");
  expect(stationWords("validation", ["one"], true, WIDE).text).toBe("1 plugin");
  expect(stationWords("storage", [], true, WIDE).text).toBe("");
});
