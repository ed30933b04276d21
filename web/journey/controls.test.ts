import { expect, test } from "vitest";
import { counted } from "./controls.ts";

test("how many steps there are, and how many of them are told slowly", () => {
  expect(counted(658, 47)).toBe("658 steps so far, 47 of them told slowly");
  // Very many are told slowly when that is asked for, and every step counts as it is.
  expect(counted(5000, 5000)).toBe("5000 steps so far");
  expect(counted(1, 1)).toBe("1 step so far");
});
