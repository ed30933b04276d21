import { expect, test } from "vitest";
import { keysOf, Tree } from "./tree.ts";

test("a path is taken apart, whatever a name holds", () => {
  expect(keysOf('.a["b.c"][0]["__proto__"].d')).toEqual(["a", "b.c", "0", "__proto__", "d"]);
  const tree = new Tree();
  tree.set('["__proto__"].polluted', true, "x");
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(tree.lines().map(({ text }) => text)).toEqual(['"__proto__":', "  polluted: true"]);
});
