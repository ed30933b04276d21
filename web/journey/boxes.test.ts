import { expect, test } from "vitest";
import { Boxes, withActing } from "./boxes.ts";

const at = (boxes: Boxes, names: string, wrote = "", command = 1) => [
  ...boxes.of(command, names.split(""), new Set(wrote)),
];

test("a controller keeps its box while others come, and who only looked gives it to who writes", () => {
  const boxes = new Boxes();
  expect(at(boxes, "g")).toEqual([undefined, undefined, "g"]);
  expect(at(boxes, "gd", "d")).toEqual(["d", undefined, "g"]);
  expect(at(boxes, "gdnr", "d")).toEqual(["d", "n", "g"]);
  expect(at(boxes, "gdnr", "dr")).toEqual(["d", "n", "r"]);
  expect(at(boxes, "gdnre", "dre")).toEqual(["d", "e", "r"]);
  // There is no room for one more.
  expect(at(boxes, "gdnrex", "drex")).toEqual(["d", "e", "r"]);
});

test("who looked first and writes later stays where it is", () => {
  const boxes = new Boxes();
  expect(at(boxes, "d")).toEqual([undefined, undefined, "d"]);
  expect(at(boxes, "dr", "rd")).toEqual(["r", undefined, "d"]);
});

test("another command's controllers begin anew", () => {
  const boxes = new Boxes();
  at(boxes, "abc", "abc");
  expect(at(boxes, "cd", "d", 2)).toEqual(["d", undefined, "c"]);
});

test("who does what is looked at has the box of one who only looked, and the others stay", () => {
  const boxes = at(new Boxes(), "gdrx", "dr");
  expect(boxes).toEqual(["d", "r", "g"]);
  expect(withActing(boxes, ["x"], new Set("dr"))).toEqual(["d", "r", "x"]);
  expect(withActing(boxes, ["x", "g"], new Set("dr"))).toEqual(["d", "x", "g"]);
  expect(withActing(boxes, ["d"], new Set("dr"))).toEqual(boxes);
});
