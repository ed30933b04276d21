import { describe, expect, test, vi } from "vitest";
import type { CallHandlers } from "../rpc/client.ts";
import type { AttachEvent, AttachOrder } from "../rpc/protocol.ts";
import { closed, HubConnection, reduceHub } from "./connection.ts";
import { leadsToServices, ownHost, ticket } from "./visit.ts";
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

test("a Service's own address is of a hub on this machine, without TLS", () => {
  const web = { name: "web", namespace: "shop", port: 8080, path: "/" };
  for (const [url, leads] of [
    ["ws://localhost:7080/hub/v1/tunnel", true],
    ["ws://127.0.0.1/hub/v1/tunnel", true],
    ["ws://[::1]:7080/hub/v1/tunnel", true],
    ["wss://localhost:7080/hub/v1/tunnel", false],
    ["ws://192.0.2.7:7080/hub/v1/tunnel", false],
    ["ws://localhost.example:7080/hub/v1/tunnel", false],
    ["ws://127.0.0.1.example/hub/v1/tunnel", false],
  ] as const) {
    expect(leadsToServices({ url })).toBe(leads);
  }
  expect(ownHost({ url: "ws://localhost:7080/x" }, web)).toBe("8080.web.shop.localhost:7080");
  expect(ownHost({ url: "ws://localhost/x" }, { ...web, port: undefined })).toBe(
    "web.shop.localhost",
  );
});

test("a hub that leads elsewhere is not followed", async () => {
  const answers = (url: string, ok = true) =>
    vi.stubGlobal("fetch", () =>
      Promise.resolve(new Response(ok ? JSON.stringify({ url }) : url, { status: ok ? 200 : 403 })),
    );
  const ask = () =>
    ticket({ url: "ws://localhost:7080/hub/v1/tunnel", secret: "s" }, "tab", {
      name: "web",
      namespace: "default",
      port: undefined,
      path: "/",
    });
  answers("http://web.default.localhost:7080/.well-known/x?ticket=y");
  expect(await ask()).toContain("web.default.localhost");
  for (const url of ["http://evil.example/", "javascript:alert(1)", "https://a.localhost/"]) {
    answers(url);
    await expect(ask()).rejects.toThrow("the hub leads to");
  }
  answers("no cluster is called so", false);
  await expect(ask()).rejects.toThrow("no cluster is called so");
  vi.unstubAllGlobals();
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
