import { expect, test } from "vitest";
import { readLessons } from "./list.ts";

test("of a list only what a lesson's entry is made of counts", () => {
  const first = { name: "first", title: "A first one", description: "About.", minutes: 4.6 };
  const list = [
    first,
    { name: "../../x", title: "A way out" },
    { name: "UPPER", title: "No folder of ours" },
    { name: "bare", title: "b".repeat(300), description: 7, minutes: -1 },
    { name: "untitled" },
    null,
    "first",
  ];
  expect(readLessons(list)).toEqual([
    { ...first, minutes: 5 },
    { name: "bare", title: "b".repeat(200), description: "", minutes: 0 },
  ]);
  expect(() => readLessons({ name: "first" })).toThrow("it is no list");
  expect(readLessons(Array.from({ length: 1000 }, () => first))).toHaveLength(200);
});
