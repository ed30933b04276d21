import { expect, test } from "vitest";
import { canScroll, Drag } from "./finger.ts";

test("a finger that goes up moves the text up, line by line, and loses nothing in between", () => {
  const drag = new Drag(100, 500);
  expect(drag.to(100, 495, 20)).toBe(0);
  expect(drag.to(101, 475, 20)).toBe(1);
  expect(drag.to(101, 461, 20)).toBe(0);
  expect(drag.to(101, 459, 20)).toBe(1);
  expect(drag.to(101, 560, 20)).toBe(-5);
});

test("one that goes sideways is the browser's, wherever it goes then", () => {
  const drag = new Drag(100, 500);
  expect(drag.to(91, 497, 20)).toBe(0);
  expect(drag.to(60, 300, 20)).toBe(0);
});

test("before a line is drawn nothing has a height", () => {
  expect(new Drag(0, 500).to(0, 100, 0)).toBe(0);
});

test("where there is no more text the page around it is scrolled on", () => {
  const at = (viewportY: number) => ({
    buffer: { active: { viewportY, baseY: 7 } },
    scrollLines: () => undefined,
  });
  expect([0, 3, 7].map((y) => canScroll(at(y), true))).toEqual([false, true, true]);
  expect([0, 3, 7].map((y) => canScroll(at(y), false))).toEqual([true, true, false]);
});
