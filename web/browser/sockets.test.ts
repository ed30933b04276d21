import { afterEach, describe, expect, it, vi } from "vitest";
import type { ToFrame } from "../frame/wire.ts";
import type { RpcClient } from "../rpc/client.ts";
import { LINGERS, LONGEST_MESSAGE, SOCKETS, UNHEARD, UNSENT } from "./bounds.ts";
import { Sockets } from "./sockets.ts";
import { Visitor } from "./visitor.ts";

interface Called {
  params: Record<string, unknown>;
  handlers: {
    head(head: { headers: [string, string][] }): void;
    event(event: { took: number }): void;
    data(chunk: Uint8Array): undefined | Promise<void>;
  };
  sent: Uint8Array[];
  cancelled: boolean;
  end(): void;
}

/** A document's WebSockets, and what became of them on both sides. */
function sockets() {
  const calls: Called[] = [];
  const client = {
    call: (_method: string, params: never, handlers: never) => {
      let end: () => void = () => undefined;
      const result = new Promise<void>((resolve) => (end = resolve));
      const called: Called = { params, handlers, sent: [], cancelled: false, end };
      calls.push(called);
      return {
        result,
        send: (chunk: Uint8Array) => called.sent.push(chunk),
        cancel: () => {
          called.cancelled = true;
          end();
        },
      };
    },
  } as unknown as Pick<RpcClient, "call">;
  const site = { origin: "http://10.96.0.7:8080", address: "10.96.0.7:8080", tls: false };
  const posted: ToFrame[] = [];
  const all = new Sockets(new Visitor(client, new Map([[site.origin, site]])), (message) =>
    posted.push(message),
  );
  const open = (id = 1, url = "ws://10.96.0.7:8080/ws?a=b") =>
    all.take({ type: "socket", id, url, protocols: ["p"] });
  return { all, calls, posted, open };
}

const said = (kind: number, ...bytes: number[]) =>
  new Uint8Array([kind, 0, 0, 0, bytes.length, ...bytes]);

describe("a document's WebSockets", () => {
  it("go to its own addresses, and speak as they are spoken to", async () => {
    const { all, calls, posted, open } = sockets();
    expect(open()).toBeUndefined();
    const [call] = calls;
    expect(call?.params).toEqual({
      address: "10.96.0.7:8080",
      tls: false,
      host: "10.96.0.7:8080",
      path: "/ws?a=b",
      origin: "http://10.96.0.7:8080",
      protocols: ["p"],
    });
    call?.handlers.head({ headers: [["sec-websocket-protocol", "p"]] });
    all.take({ type: "say", id: 1, data: "hä" });
    expect(call?.sent).toEqual([said(1, 104, 0xc3, 0xa4)]);
    call?.handlers.event({ took: 3 });
    // Cut wherever, two messages, one of them without anything.
    const wire = [...said(1, 104, 105), ...said(2), ...said(2, 7)];
    for (const byte of wire) void call?.handlers.data(new Uint8Array([byte]));
    all.take({ type: "close", id: 1, code: 4000, reason: "x" });
    expect(call?.sent.at(-1)).toEqual(said(8, 0x0f, 0xa0, 120));
    void call?.handlers.data(said(8, 0x03, 0xe8));
    call?.end();
    await Promise.resolve();
    await Promise.resolve();
    expect(posted).toEqual([
      { type: "opened", id: 1, protocol: "p" },
      { type: "took", id: 1, bytes: 3 },
      { type: "said", id: 1, data: "hi", bytes: 7 },
      { type: "said", id: 1, data: new ArrayBuffer(0), bytes: 5 },
      { type: "said", id: 1, data: new Uint8Array([7]).buffer, bytes: 6 },
      { type: "closed", id: 1, code: 1000, reason: "", clean: true },
    ]);
    // It has closed: what is said to it is said to nobody.
    expect(all.take({ type: "say", id: 1, data: "late" })).toBeUndefined();
    expect(call?.sent.length).toBe(2);
  });

  it.each([
    "ws://evil.example/ws",
    "wss://10.96.0.7:8080/ws",
    "ws://10.96.0.7:6443/",
    "ws://10.96.0.7:8080@evil.example/",
    "http://10.96.0.7:8080/ws",
    "file:///etc/passwd",
  ])("go nowhere else: %s", (url) => {
    const { calls, posted, open } = sockets();
    expect(open(1, url)).toContain("is not of what is opened here");
    expect(calls).toEqual([]);
    expect(posted).toEqual([{ type: "closed", id: 1, code: 1006, reason: "", clean: false }]);
  });

  it("are so many, and one that sends and sends is closed", () => {
    const { all, calls, open } = sockets();
    for (let id = 1; id <= SOCKETS; id++) expect(open(id)).toBeUndefined();
    expect(open(1)).toBeUndefined(); // that one is there
    expect(open(SOCKETS + 1)).toContain("WebSockets at once");
    expect(calls.length).toBe(SOCKETS);
    const data = new ArrayBuffer(LONGEST_MESSAGE);
    for (let sent = 0; sent < UNSENT; sent += LONGEST_MESSAGE) {
      expect(all.take({ type: "say", id: 1, data })).toBeUndefined();
    }
    expect(all.take({ type: "say", id: 1, data })).toContain("more than the other end takes");
    expect(calls[0]?.cancelled).toBe(true);
    // Few characters can be many bytes.
    expect(all.take({ type: "say", id: 2, data: "€".repeat(LONGEST_MESSAGE / 2) })).toBeDefined();
    all.dispose();
    expect(calls.every(({ cancelled }) => cancelled)).toBe(true);
  });

  it("are heard no faster than the document hears", async () => {
    const { all, calls, open } = sockets();
    open();
    const [call] = calls;
    const large = new Uint8Array(5 + UNHEARD);
    large[0] = 2;
    new DataView(large.buffer).setUint32(1, UNHEARD);
    const went: string[] = [];
    const hears = async (name: string, chunk: Uint8Array) => {
      await call?.handlers.data(chunk);
      went.push(name);
    };
    // What was on its way already comes, too: each part is held back, and each is let go.
    const waits = [hears("large", large), hears("one", said(1, 104)), hears("more", said(1, 105))];
    all.take({ type: "heard", id: 1, bytes: 5 });
    await Promise.resolve();
    expect(went).toEqual([]);
    all.take({ type: "heard", id: 1, bytes: UNHEARD });
    await Promise.all(waits);
    expect(went).toEqual(["large", "one", "more"]);
    // So is what waits when it ends.
    const last = hears("last", large);
    call?.end();
    await last;
    expect(went.at(-1)).toBe("last");
  });

  describe("do not keep their place", () => {
    afterEach(() => {
      vi.useRealTimers();
    });
    const large = new Uint8Array(5 + UNHEARD);
    large[0] = 2;
    new DataView(large.buffer).setUint32(1, UNHEARD);

    it("once they are closed, whatever the other end takes", async () => {
      vi.useFakeTimers();
      const { all, calls, posted, open } = sockets();
      open();
      all.take({ type: "say", id: 1, data: "x" });
      all.take({ type: "close", id: 1, reason: "" });
      await vi.advanceTimersByTimeAsync(LINGERS - 1);
      expect(calls[0]?.cancelled).toBe(false);
      all.take({ type: "close", id: 1, reason: "again" });
      await vi.advanceTimersByTimeAsync(1);
      expect(calls[0]?.cancelled).toBe(true);
      expect(posted).toEqual([{ type: "closed", id: 1, code: 1006, reason: "", clean: false }]);
      expect(open(1)).toBeUndefined();
      expect(calls.length).toBe(2);
    });

    it("while the document takes nothing; one that takes its time does", async () => {
      vi.useFakeTimers();
      const { all, calls, open } = sockets();
      open();
      for (let part = 0; part < 3; part++) {
        void calls[0]?.handlers.data(large);
        await vi.advanceTimersByTimeAsync(LINGERS - 1);
        all.take({ type: "heard", id: 1, bytes: UNHEARD + 5 });
      }
      await vi.advanceTimersByTimeAsync(LINGERS);
      expect(calls[0]?.cancelled).toBe(false);
      void calls[0]?.handlers.data(large);
      await vi.advanceTimersByTimeAsync(LINGERS);
      expect(calls[0]?.cancelled).toBe(true);
    });

    it("and leave no clock behind", () => {
      vi.useFakeTimers();
      const { all, calls, open } = sockets();
      open();
      void calls[0]?.handlers.data(large);
      all.take({ type: "close", id: 1, reason: "" });
      expect(vi.getTimerCount()).toBe(2);
      all.dispose();
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});
