import { expect, test } from "vitest";
import { age, humanDuration } from "./age.ts";

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

// The cases of k8s.io/apimachinery pkg/util/duration/duration_test.go, TestHumanDuration.
test.each([
  [S, "1s"],
  [70 * S, "70s"],
  [190 * S, "3m10s"],
  [70 * M, "70m"],
  [47 * H, "47h"],
  [49 * H, "2d1h"],
  [8 * D + 2 * H, "8d"],
  [367 * D, "367d"],
  [365 * 2 * D + 25 * H, "2y1d"],
  [365 * 8 * D + 2 * H, "8y"],
  [-2 * S, "<invalid>"],
  [-0.5 * S, "0s"],
  [119 * S, "119s"],
  [2 * M, "2m"],
  [8 * H, "8h"],
])("%i ms is %s", (milliseconds, text) => {
  expect(humanDuration(milliseconds)).toBe(text);
});

test("an object without a time has kubectl's word for it", () => {
  expect(age(undefined, 0)).toBe("<unknown>");
  expect(age("1970-01-01T00:00:00Z", 5000)).toBe("5s");
});
