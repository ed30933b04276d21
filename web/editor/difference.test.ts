import { expect, test } from "vitest";
import { difference } from "./difference.ts";

const said = (before: string, after: string) =>
  difference(before, after, 1).map(({ mark, text }) => `${mark}${text}`);

test("a difference has what went and what came, with a line around it", () => {
  expect(said("a\nb\nc\nd\ne", "a\nb\nX\nd\ne")).toEqual(["…", " b", "-c", "+X", " d", "…"]);
  expect(said("a\nb", "a\nb\nc")).toEqual(["…", " b", "+c"]);
  expect(said("a\nb\nc", "b\nc")).toEqual(["-a", " b", "…"]);
});

test("texts that are the same have none", () => {
  expect(said("a\nb", "a\nb")).toEqual(["…"]);
});
