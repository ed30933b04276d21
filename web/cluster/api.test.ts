import { describe, expect, test } from "vitest";
import { RpcClient } from "../rpc/client.ts";
import { FakePort } from "../rpc/fake-port.ts";
import { asKubectl, createApi } from "./api.ts";

test.each([
  ["get pods", "kubectl get pods"],
  ["kubectl get pods", "kubectl get pods"],
  [" k get pods | wc -l", " k get pods | wc -l"],
  ["kubectl", "kubectl"],
  ["kubectlx", "kubectl kubectlx"],
])("%j runs as %j", (line, run) => {
  expect(asKubectl(line)).toBe(run);
});

function setUp() {
  const port = new FakePort();
  const ready = Promise.resolve();
  return {
    port,
    api: createApi({ client: new RpcClient(port), ready, serving: ready, measure: undefined }),
  };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("kubectl()", () => {
  test("gathers both outputs, characters cut between chunks included", async () => {
    const { port, api } = setUp();
    const result = api.kubectl("get pods", { stdin: "in" });
    await settle();
    const euro = new TextEncoder().encode("€");
    port.reply({ type: "data", id: 1, stream: "stdout", chunk: euro.slice(0, 2) });
    port.data(1, "warning\n", "stderr");
    port.reply({ type: "data", id: 1, stream: "stdout", chunk: euro.slice(2) });
    port.reply({ type: "result", id: 1, value: { code: 3 } });
    await expect(result).resolves.toEqual({ code: 3, stdout: "€", stderr: "warning\n" });
    expect(port.sent.map((m) => m.type)).toEqual(["call", "data", "end", "ack", "ack", "ack"]);
    expect(port.of("call")[0]?.params).toMatchObject({ line: "kubectl get pods", tty: false });
  });

  test("an aborted command is cancelled, and rejects when the worker has answered", async () => {
    const { port, api } = setUp();
    const stop = new AbortController();
    const result = api.shell("sleep 100", { signal: stop.signal });
    await settle();
    stop.abort();
    expect(port.of("cancel")).toHaveLength(1);
    port.reply({ type: "error", id: 1, error: { message: "cancelled by the page" } });
    await expect(result).rejects.toMatchObject({ name: "AbortError" });
  });
});
