import { describe, expect, it } from "vitest";
import { LONGEST_ADDRESS, LONGEST_BODY, LONGEST_MESSAGE, MOST_HEADERS } from "./bounds.ts";
import { checked } from "./check.ts";

const ask = {
  type: "ask",
  id: 1,
  url: "http://10.96.0.7/",
  method: "GET",
  headers: [],
  redirect: "follow",
};

const socket = { type: "socket", id: 1, url: "ws://10.96.0.7/ws", protocols: ["a", "b"] };

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
    expect(checked({ ...socket, more: 1 })).toEqual(socket);
    expect(checked({ type: "close", id: 1, reason: "" })).toEqual({
      type: "close",
      id: 1,
      reason: "",
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
    ["a WebSocket without an address", { ...socket, url: "/ws" }],
    ["a subprotocol that ends its line", { ...socket, protocols: ["a\r\nX: y"] }],
    ["a subprotocol twice", { ...socket, protocols: ["a", "a"] }],
    ["subprotocols without end", { ...socket, protocols: Array.from({ length: 99 }, String) }],
    ["no subprotocols", { ...socket, protocols: "a" }],
    ["too large a message", { type: "say", id: 1, data: new ArrayBuffer(LONGEST_MESSAGE + 1) }],
    ["too long a message", { type: "say", id: 1, data: "x".repeat(LONGEST_MESSAGE + 1) }],
    ["a message that is none", { type: "say", id: 1, data: { length: 1 } }],
    ["a message to nobody", { type: "say", id: 0, data: "" }],
    ["less than nothing heard", { type: "heard", id: 1, bytes: -1 }],
    ["a code of the protocol's own", { type: "close", id: 1, code: 1006, reason: "" }],
    ["a reason without end", { type: "close", id: 1, code: 1000, reason: "x".repeat(124) }],
    ["a step that is none", { type: "step", by: 0.5 }],
  ];
  it.each(forged)("is refused: %s", (_name, data) => {
    expect(checked(data)).toBeUndefined();
  });
});
