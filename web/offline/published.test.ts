import { expect, test } from "vitest";
import { nameOf } from "./published.ts";

const SCOPE = "https://host.example/a/b/";

test.each([
  ["https://host.example/a/b/", "index.html"],
  ["https://host.example/a/b/?verbose#/map", "index.html"],
  ["https://host.example/a/b/embed/", "embed/index.html"],
  ["https://host.example/a/b/page/index-1.js", "page/index-1.js"],
  ["https://host.example/a/bc", undefined],
  ["https://host.example/a/", undefined],
  ["https://other.example/a/b/", undefined],
])("%s is %s", (url, name) => {
  expect(nameOf({ method: "GET", url }, SCOPE)).toBe(name);
});

test("only what is read is answered", () => {
  expect(nameOf({ method: "POST", url: SCOPE }, SCOPE)).toBeUndefined();
});
