import { expect, test } from "vitest";
import { changesIn, sentenceOf } from "./going-back.ts";

const of = (comesBack: number, changes: number, goes: number) => ({
  comesBack,
  changes,
  goes,
  objects: [],
});

test("what going back does is a sentence", () => {
  expect(sentenceOf(of(0, 0, 0))).toBe("Nothing would change.");
  expect(sentenceOf(of(1, 0, 0))).toBe("1 object comes back.");
  expect(sentenceOf(of(12, 3, 1))).toBe(
    "12 objects come back, 3 objects change and 1 object goes.",
  );
  expect(sentenceOf(of(0, 1, 2), true)).toBe("1 object is as then and 2 objects went.");
  expect(sentenceOf(of(2, 2, 0), true)).toBe("2 objects came back and 2 objects are as then.");
});

test("each object has a line", () => {
  const objects = [
    { what: "comes back", kind: "Pod", namespace: "shop", name: "web" },
    { what: "goes", kind: "Namespace", name: "new" },
  ] as const;
  expect(changesIn({ ...of(1, 0, 1), objects: [...objects] })).toEqual([
    "comes back Pod shop/web",
    "goes       Namespace new",
  ]);
});
