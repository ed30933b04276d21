import { expect, test } from "vitest";
import { goesOn } from "./edge.ts";

/** A buffer with these lines, scrolled to one of them. */
const buffer = (viewportY: number, ...lines: string[]) => ({
  viewportY,
  getLine: (y: number) => {
    const text = lines[y];
    const line = { translateToString: (_trim: boolean, from = 0) => text?.slice(from).trimEnd() };
    return (text === undefined ? undefined : line) as never;
  },
});

test("a line in sight goes on if there is text behind the edge", () => {
  const lines = ["short", "a long line", "blanks       ", ""];
  expect(goesOn(buffer(0, ...lines), 4, 5)).toBe(true);
  expect(goesOn(buffer(0, ...lines), 4, 11)).toBe(false);
  // Above or below what is in sight.
  expect(goesOn(buffer(2, ...lines), 4, 6)).toBe(false);
  expect(goesOn(buffer(0, ...lines), 1, 5)).toBe(false);
});
