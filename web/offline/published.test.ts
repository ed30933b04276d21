import { expect, test } from "vitest";
import { headersOf, nameOf } from "./published.ts";

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

test.each([
  ["page/container-0123abcd.html", true],
  ["sdk/container-0123abcd.html", true],
  ["index.html", false],
  ["lessons/index.html", false],
  ["embed/index.html", false],
  ["page/frame-0123abcd.html", false],
  ["page/index-1.js", false],
])("%s as a page that is isolated: %s", (name, isolated) => {
  expect(Object.keys(headersOf(name, "text/x")).length === 2).toBe(isolated);
});

test("only what is read is answered", () => {
  expect(nameOf({ method: "POST", url: SCOPE }, SCOPE)).toBeUndefined();
});
