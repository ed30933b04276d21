import { expect, test } from "vitest";
import { restOf } from "./rest.ts";

test.each([
  [12.7e6, 30.7e6, 13_100, 18_567],
  [30.7e6, 30.7e6, 9000, 0],
  [40e6, 30.7e6, 9000, 0],
  [1, 30.7e6, 1000, undefined],
  [0, 30.7e6, 9000, undefined],
])("%d of %d bytes after %d ms leave %s ms", (loaded, total, took, left) => {
  const rest = restOf(loaded, total, took);
  expect(rest === undefined ? rest : Math.round(rest)).toBe(left);
});
