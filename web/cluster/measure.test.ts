import { expect, test, vi } from "vitest";
import { RpcClient } from "../rpc/client.ts";
import { FakePort } from "../rpc/fake-port.ts";
import {
  containersMark,
  heldBy,
  measureContainers,
  measureHere,
  type Browser,
  type Memory,
} from "./measure.ts";

const none = () => Promise.reject(new Error("it does not measure"));
const SCOPE = "DedicatedWorkerGlobalScope";
const script = "https://a/sdk/container-x.js";
const memory = (...urls: [url: string, bytes: number, scope?: string][]): Memory => ({
  breakdown: [
    { bytes: 1, attribution: [] },
    ...urls.map(([url, bytes, scope = SCOPE]) => ({ bytes, attribution: [{ url, scope }] })),
  ],
});

test("each cluster's Workers are told apart, and from whatever else a page has", () => {
  const [mark, other] = [containersMark(), containersMark()];
  const seen = memory(
    ...([
      [`${script}${mark}7`, 100],
      [`${script}${mark}7`, 20],
      [`blob:https://a/1${mark}8`, 5],
      [`${script}${other}7`, 1000],
      [`${script}${mark}`, 1000],
      [`${script}${mark}x`, 1000],
      [`https://a/?${mark}9`, 1000, "Window"],
    ] as [string, number, string?][]),
  );
  expect(heldBy(seen, mark)).toEqual([
    { number: 7, bytes: 120 },
    { number: 8, bytes: 5 },
  ]);
});

const browser = (measure?: () => Promise<Memory>): Browser => ({
  crossOriginIsolated: true,
  origin: "https://a",
  performance: measure ? { measureUserAgentSpecificMemory: measure } : {},
});

test("it is measured when the cluster asks", async () => {
  const port = new FakePort();
  const mark = containersMark();
  const measures = browser(() => Promise.resolve(memory([`${script}${mark}3`, 9])));
  measureContainers(new RpcClient(port), measureHere(mark, measures) ?? none);
  port.reply({ type: "event", id: 1, event: {} });
  await vi.waitFor(() =>
    expect(port.sent.at(-1)).toEqual({
      ...{ type: "order", id: 1, order: { workers: [{ number: 3, bytes: 9 }] } },
    }),
  );
});

test("what cannot be measured is answered by nothing, so that it is asked again", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const port = new FakePort();
  const measures = browser(() => Promise.reject(new Error("SecurityError")));
  measureContainers(new RpcClient(port), measureHere(containersMark(), measures) ?? none);
  port.reply({ type: "event", id: 1, event: {} });
  await vi.waitFor(() => expect(port.sent.at(-1)).toMatchObject({ order: { workers: [] } }));
  warn.mockRestore();
});

test.each<[string, Partial<Browser>]>([
  ["a browser that does not measure", { performance: {} }],
  ["a page that is not isolated", { crossOriginIsolated: false }],
  ["a frame without an origin", { origin: "null" }],
])("%s is not asked", (_what, differs) => {
  const measures = browser(() => Promise.resolve(memory()));
  expect(measureHere(containersMark(), { ...measures, ...differs })).toBeUndefined();
});
