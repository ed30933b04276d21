import { describe, expect, test } from "vitest";
import { RpcClient } from "./client.ts";
import { FakePort } from "./fake-port.ts";
import { clusterFetch } from "./fetch.ts";

function setUp() {
  const port = new FakePort();
  return { port, client: new RpcClient(port) };
}

/** Lets everything that is under way settle. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("clusterFetch", () => {
  test("status, headers and body arrive", async () => {
    const { port, client } = setUp();
    const answer = clusterFetch(client, "/api/v1/pods?limit=1", {
      headers: { Accept: "application/json" },
    });
    port.head(1, 404, [["content-type", "application/json"]]);
    port.data(1, '{"kind":', "body");
    port.data(1, '"Status"}', "body");
    port.reply({ type: "result", id: 1, value: {} });
    const response = await answer;
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({ kind: "Status" });
    expect(port.of("call")[0]?.params).toEqual({
      method: "GET",
      path: "/api/v1/pods?limit=1",
      headers: [["accept", "application/json"]],
      body: false,
    });
  });

  test("a body is sent in chunks, then its end, with the type the browser would give it", async () => {
    const { port, client } = setUp();
    void clusterFetch(client, "/api/v1/namespaces", { method: "post", body: '{"a":1}' });
    await settle();
    expect(port.of("call")[0]?.params).toMatchObject({
      method: "POST",
      body: true,
      headers: [["content-type", "text/plain;charset=UTF-8"]],
    });
    expect(port.of("data").map((m) => new TextDecoder().decode(m.chunk))).toEqual(['{"a":1}']);
    expect(port.of("end")).toHaveLength(1);
  });

  test("only what was read is acknowledged", async () => {
    const { port, client } = setUp();
    const answer = clusterFetch(client, "/watch");
    port.head(1);
    port.data(1, "first", "body");
    port.data(1, "second", "body");
    const reader = (await answer).body?.getReader();
    await settle();
    expect(port.acked(1)).toBe(0);
    await reader?.read();
    await settle();
    expect(port.acked(1)).toBe(5);
    await reader?.read();
    await settle();
    expect(port.acked(1)).toBe(11);
  });

  test("aborting before the head rejects and cancels", async () => {
    const { port, client } = setUp();
    const stop = new AbortController();
    const answer = clusterFetch(client, "/slow", { signal: stop.signal });
    stop.abort();
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
    expect(port.of("cancel")).toHaveLength(1);
    await expect(clusterFetch(client, "/x", { signal: stop.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  test("aborting a stream fails its reader and cancels", async () => {
    const { port, client } = setUp();
    const stop = new AbortController();
    const answer = clusterFetch(client, "/watch", { signal: stop.signal });
    port.head(1);
    const reader = (await answer).body?.getReader();
    const next = reader?.read();
    stop.abort();
    await expect(next).rejects.toMatchObject({ name: "AbortError" });
    expect(port.of("cancel")).toHaveLength(1);
  });

  test("a reader that goes away cancels the request", async () => {
    const { port, client } = setUp();
    const answer = clusterFetch(client, "/watch");
    port.head(1);
    await (await answer).body?.cancel();
    expect(port.of("cancel")).toHaveLength(1);
  });

  test("no answer is a TypeError, as the browser's fetch has it", async () => {
    const { port, client } = setUp();
    const answer = clusterFetch(client, "/x");
    port.reply({ type: "error", id: 1, error: { message: "connection refused" } });
    await expect(answer).rejects.toThrow(new TypeError("connection refused"));
    await expect(clusterFetch(client, "x")).rejects.toBeInstanceOf(TypeError);
  });

  test("204 has no body", async () => {
    const { port, client } = setUp();
    const answer = clusterFetch(client, "/x", { method: "DELETE" });
    port.head(1, 204);
    port.reply({ type: "result", id: 1, value: {} });
    expect((await answer).body).toBeNull();
  });
});
