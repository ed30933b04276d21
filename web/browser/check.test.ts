import { describe, expect, it } from "vitest";
import { LONGEST_ADDRESS, LONGEST_BODY, MOST_HEADERS } from "./bounds.ts";
import { checked } from "./check.ts";

const ask = {
  type: "ask",
  id: 1,
  url: "http://10.96.0.7/",
  method: "GET",
  headers: [],
  redirect: "follow",
};

describe("what comes from a frame", () => {
  it("is read if it is a message, without what does not belong to one", () => {
    expect(checked({ ...ask, more: 1 })).toEqual(ask);
    const body = new ArrayBuffer(3);
    expect(checked({ ...ask, type: "go", method: "POST", body })).toEqual({
      type: "go",
      url: ask.url,
      method: "POST",
      headers: [],
      body,
      replace: false,
    });
    expect(checked({ type: "title", text: "x".repeat(9999) })).toEqual({
      type: "title",
      text: "x".repeat(200),
    });
  });

  const forged: [string, unknown][] = [
    ["nothing", null],
    ["a text", "ask"],
    ["a message of nobody's", { type: "document" }],
    ["a list for a message", [ask]],
    ["no number", { ...ask, id: "1" }],
    ["a number that is none", { ...ask, id: NaN }],
    ["no address", { ...ask, url: "/only/a/path" }],
    ["too long an address", { ...ask, url: `http://a/${"x".repeat(LONGEST_ADDRESS)}` }],
    ["a method that ends its line", { ...ask, method: "GET / HTTP/1.1\r\nX: y" }],
    ["a header that ends its line", { ...ask, headers: [["x", "y\r\nhost: z"]] }],
    ["a header's name with a space", { ...ask, headers: [["x y", "z"]] }],
    ["a header that is no pair", { ...ask, headers: ["x: y"] }],
    [
      "too many headers",
      { ...ask, headers: Array.from({ length: MOST_HEADERS + 1 }, () => ["a", "b"]) },
    ],
    ["headers without end", { ...ask, headers: [["a", "x".repeat(1 << 20)]] }],
    ["too large a body", { ...ask, body: new ArrayBuffer(LONGEST_BODY + 1) }],
    ["a body that is none", { ...ask, body: "x" }],
    ["a redirect of no kind", { ...ask, redirect: "always" }],
    ["a place that is none", { type: "scroll", x: -1, y: Infinity }],
    ["a lack of its own words", { type: "lacks", what: "<b>everything</b>" }],
    ["a step that is none", { type: "step", by: 0.5 }],
  ];
  it.each(forged)("is refused: %s", (_name, data) => {
    expect(checked(data)).toBeUndefined();
  });
});
