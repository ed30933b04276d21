import { describe, expect, test, vi } from "vitest";
import type { CallHandlers } from "../rpc/client.ts";
import type { AttachEvent, AttachOrder } from "../rpc/protocol.ts";
import { closed, HubConnection, reduceHub } from "./connection.ts";
import { hubUrl, newInstance } from "./pairing.ts";

test("the state follows the tunnel", () => {
  const up = reduceHub(closed, {
    type: "state",
    up: true,
    name: "tab",
    addresses: ["127.0.0.1:7443"],
  });
  expect(up).toMatchObject({ tunnel: "up", name: "tab", addresses: ["127.0.0.1:7443"] });
  const lost = reduceHub(up, { type: "state", error: "gone" });
  expect(lost).toMatchObject({ tunnel: "lost", name: "tab", error: "gone" });
});

test("questions wait in order and go when answered or withdrawn", () => {
  let state = closed;
  for (const id of [1, 2, 3]) {
    state = reduceHub(state, { type: "ask", id, user: "ada", code: `C${id}` });
  }
  state = reduceHub(state, { type: "answered", id: 1 });
  state = reduceHub(state, { type: "withdrawn", id: 3 });
  expect(state.questions).toEqual([{ id: 2, user: "ada", code: "C2" }]);
  expect(reduceHub(state, { type: "refused", error: "no" }).questions).toEqual([]);
});

test("the hub is where the page came from", () => {
  expect(hubUrl("http://localhost:8080/#x")).toBe("ws://localhost:8080/hub/v1/tunnel");
  expect(hubUrl("https://h.example/a/b?c")).toBe("wss://h.example/hub/v1/tunnel");
});

test("instances are long and differ", () => {
  expect(newInstance()).toMatch(/^[A-Za-z0-9_-]{32}$/);
  expect(newInstance()).not.toBe(newInstance());
});

describe("the connection with a hub", () => {
  test("passes the owner's answer on", () => {
    vi.stubGlobal("addEventListener", vi.fn());
    vi.stubGlobal("document", { addEventListener: vi.fn() });
    let handlers: CallHandlers<AttachEvent> = {};
    const sent: AttachOrder[] = [];
    const hub = new HubConnection();
    hub.open(
      {
        call: (_method, _params, given) => {
          handlers = given;
          return {
            result: new Promise(() => undefined),
            send: () => undefined,
            order: (order) => void sent.push(order),
            end: () => undefined,
            resize: () => undefined,
            signal: () => undefined,
            cancel: () => undefined,
          };
        },
      },
      { url: "ws://h/", secret: "s", name: "", instance: "i" },
    );
    expect(hub.state.state.tunnel).toBe("dialling");
    handlers.event?.({ type: "ask", id: 7, user: "ada", code: "AB" });
    expect(hub.state.state.questions).toHaveLength(1);
    hub.answer(7, true);
    expect(sent).toEqual([{ type: "answer", id: 7, agree: true }]);
    expect(hub.state.state.questions).toHaveLength(0);
    vi.unstubAllGlobals();
  });
});
