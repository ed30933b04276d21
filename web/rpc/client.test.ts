import { describe, expect, test } from "vitest";
import { CallError, RpcClient } from "./client.ts";
import { FakePort } from "./fake-port.ts";
import { VERSION, type AttachEvent, type Fault } from "./protocol.ts";

describe("RpcClient", () => {
  test("a call is answered once, by its own id", async () => {
    const port = new FakePort();
    const client = new RpcClient(port);
    const first = client.call("complete", { line: "k", cursor: 1 });
    const second = client.call("complete", { line: "x", cursor: 1 });
    port.reply({ type: "result", id: 2, value: { from: 0, words: [] } });
    port.reply({ type: "error", id: 1, error: { message: "no shell", hint: "wait" } });
    await expect(second.result).resolves.toEqual({ from: 0, words: [] });
    await expect(first.result).rejects.toMatchObject({ message: "no shell", hint: "wait" });
    expect(port.sent.map((m) => m.type)).toEqual(["call", "call"]);
  });

  test("bytes count as read when the handler's promise settles", async () => {
    const port = new FakePort();
    const client = new RpcClient(port);
    const gates: (() => void)[] = [];
    client.call("exec", exec, {
      data: () => new Promise<void>((resolve) => gates.push(resolve)),
    });
    port.data(1, "12345");
    port.data(1, "678");
    await Promise.resolve();
    expect(port.acked(1)).toBe(0);
    gates[0]?.();
    await Promise.resolve();
    expect(port.acked(1)).toBe(5);
    gates[1]?.();
    await Promise.resolve();
    expect(port.acked(1)).toBe(8);
  });

  test("an edit is answered with its own number, and without a handler with nothing", async () => {
    const port = new FakePort();
    const client = new RpcClient(port);
    client.call("exec", exec, { edit: (name, text) => Promise.resolve(`${name}:${text}!`) });
    client.call("exec", exec);
    client.call("exec", exec, { edit: () => Promise.reject(new Error("no editor")) });
    port.reply({ type: "edit", id: 1, ask: 7, name: "a.yaml", text: "x" });
    port.reply({ type: "edit", id: 2, ask: 8, name: "b.yaml", text: "x" });
    port.reply({ type: "edit", id: 3, ask: 9, name: "c.yaml", text: "x" });
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(port.of("edited")).toEqual([
      { type: "edited", id: 1, ask: 7, text: "a.yaml:x!" },
      { type: "edited", id: 2, ask: 8 },
      { type: "edited", id: 3, ask: 9 },
    ]);
  });

  test("it is known whether somebody waits; whoever only follows does not", async () => {
    const port = new FakePort();
    const client = new RpcClient(port);
    const told: string[] = [];
    client.onAwaited = (awaited) => told.push(`${awaited ? "awaited" : "not"} ${port.sent.length}`);
    const get = (path: string) =>
      client.call("fetch", { method: "GET", path, headers: [], body: false });
    const following = [
      get("/api/v1/pods?watch=true"),
      get("/api/v1/namespaces/a/pods/b/log?follow=true&tailLines=5"),
      client.call("trace", {}),
    ];
    expect(told).toEqual([]);
    const first = get("/api/v1/pods?watch=false");
    const second = client.call("exec", exec);
    port.reply({ type: "result", id: 4, value: {} });
    await first.result;
    expect(told).toEqual(["awaited 3"]);
    client.break(new CallError({ message: "gone" }));
    for (const call of [second, ...following]) await expect(call.result).rejects.toThrow("gone");
    expect(told).toEqual(["awaited 3", "not 5"]);
  });

  test("a method's events and orders go by its call", () => {
    const port = new FakePort();
    const client = new RpcClient(port);
    const told: AttachEvent[] = [];
    const pairing = { url: "", secret: "", name: "", instance: "" };
    const call = client.call("attach", pairing, { event: (event) => void told.push(event) });
    port.reply({ type: "event", id: 1, event: { type: "withdrawn", id: 3 } });
    call.order({ type: "nudge" });
    expect(told).toEqual([{ type: "withdrawn", id: 3 }]);
    expect(port.of("order")).toEqual([{ type: "order", id: 1, order: { type: "nudge" } }]);
  });

  test.each([
    ["an older module, which says nothing of itself", undefined],
    ["an older module", VERSION - 1],
    ["a newer module", VERSION + 1],
  ])("%s is a fault in plain words", async (_name, version) => {
    const port = new FakePort();
    const client = new RpcClient(port);
    const faults: Fault[] = [];
    client.onFault = (fault) => faults.push(fault);
    const call = client.call("exec", exec);
    port.raw({ type: "boot", step: "download", state: "done", at: 1 });
    expect(faults).toEqual([]);
    if (version === undefined) port.raw({ type: "boot", step: "store", state: "started", at: 2 });
    else port.raw({ type: "hello", version });
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toContain("not of the same age");
    expect(faults[0]?.hint).toContain("Reload the page");
    await expect(call.result).rejects.toThrow("not of the same age");
  });

  test("a page that says itself what to do about a module of another age is quoted", () => {
    const port = new FakePort();
    const client = new RpcClient(port, "Take both from one build.");
    const faults: Fault[] = [];
    client.onFault = (fault) => faults.push(fault);
    port.raw({ type: "hello", version: VERSION - 1 });
    expect(faults[0]?.hint).toBe("Take both from one build.");
  });

  test("without a handler data is acknowledged at once: nobody may wait for ever", () => {
    const port = new FakePort();
    new RpcClient(port).call("exec", exec);
    port.data(1, "abc");
    expect(port.acked(1)).toBe(3);
  });

  test("nothing is sent on a call that has ended", async () => {
    const port = new FakePort();
    const call = new RpcClient(port).call("exec", exec);
    port.reply({ type: "result", id: 1, value: { code: 0 } });
    await call.result;
    call.send(new Uint8Array(1));
    call.signal("INT");
    call.cancel();
    expect(port.sent.map((m) => m.type)).toEqual(["call"]);
  });

  test("after a fault open calls and later ones are rejected", async () => {
    const port = new FakePort();
    const client = new RpcClient(port);
    const faults: string[] = [];
    client.onFault = (fault) => faults.push(fault.component);
    const open = client.call("exec", exec);
    port.reply({ type: "fault", component: "memory", message: "full", hint: "close tabs" });
    await expect(open.result).rejects.toBeInstanceOf(CallError);
    await expect(client.call("exec", exec).result).rejects.toMatchObject({ hint: "close tabs" });
    expect(faults).toEqual(["memory"]);
  });

  test("boot messages reach whoever asked for them", () => {
    const port = new FakePort();
    const client = new RpcClient(port);
    const steps: string[] = [];
    client.onBoot = (step) => steps.push(`${step.step} ${step.state}`);
    port.reply({ type: "boot", step: "store", state: "done", at: 12 });
    expect(steps).toEqual(["store done"]);
  });
});

const exec = { line: "kubectl get pods", session: "t", tty: false, cols: 80, rows: 24 };
