import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Sleep, type InSight, type Sleeper } from "./sleep.ts";

const did: string[] = [];
let cluster: Sleeper;
let looked: () => void;
let elements: InSight & { any: boolean };

beforeEach(() => {
  vi.useFakeTimers();
  did.length = 0;
  cluster = {
    client: { onAwaited: undefined },
    sleep: () => did.at(-1) !== "asleep" && did.push("asleep"),
    wake: () => did.at(-1) === "asleep" && did.push("awake"),
  };
  elements = {
    any: true,
    onChange: (listener: () => void) => {
      looked = listener;
      return { dispose: () => (looked = () => undefined) };
    },
  } as unknown as typeof elements;
});
afterEach(() => void vi.useRealTimers());

const see = (any: boolean) => {
  elements.any = any;
  looked();
};
const awaits = (awaited: boolean) => cluster.client.onAwaited?.(awaited);

test("a cluster that nobody sees sleeps after a while, and wakes when somebody does", async () => {
  new Sleep(cluster, Promise.resolve(), elements);
  await Promise.resolve();
  vi.advanceTimersByTime(60_000);
  see(false);
  vi.advanceTimersByTime(4999);
  see(true);
  see(false);
  vi.advanceTimersByTime(4999);
  expect(did).toEqual([]);
  vi.advanceTimersByTime(1);
  see(true);
  expect(did).toEqual(["asleep", "awake"]);
});

test("it is awake while somebody waits for it, and a while longer", async () => {
  new Sleep(cluster, Promise.resolve(), elements);
  await Promise.resolve();
  awaits(true);
  see(false);
  vi.advanceTimersByTime(600_000);
  expect(did).toEqual([]);
  awaits(false);
  vi.advanceTimersByTime(5000);
  awaits(true);
  expect(did).toEqual(["asleep", "awake"]);
});

test("a start is never held up", async () => {
  let ready = (): void => undefined;
  new Sleep(cluster, new Promise((resolve) => (ready = resolve)), elements);
  see(false);
  vi.advanceTimersByTime(600_000);
  expect(did).toEqual([]);
  ready();
  await Promise.resolve();
  await Promise.resolve();
  vi.advanceTimersByTime(5000);
  expect(did).toEqual(["asleep"]);
});

test("one that is left to itself is awake, and stays so", async () => {
  const sleep = new Sleep(cluster, Promise.resolve(), elements);
  await Promise.resolve();
  see(false);
  vi.advanceTimersByTime(5000);
  sleep.dispose();
  see(false);
  vi.advanceTimersByTime(5000);
  expect(did).toEqual(["asleep", "awake"]);
});
