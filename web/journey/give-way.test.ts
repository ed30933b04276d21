import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { Signal } from "../state/signal.ts";
import { REST } from "./at-rest.ts";
import { GiveWay } from "./give-way.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function cluster() {
  const arrivals = new Signal<readonly TraceStep[]>();
  const steps = new Map<number, TraceStep>();
  const tell = (kind: string) => {
    const id = steps.size + 1;
    const cause = id === 1 ? {} : { cause: 1 };
    const step = { id, at: id, component: "c", kind, chapter: "etcd", ...cause };
    steps.set(id, step);
    arrivals.emit([step]);
  };
  let given = 0;
  const way = new GiveWay({ trace: { arrivals, steps }, give: () => given++ });
  return { tell, way, given: () => given };
}

test("the journey gives way once a first command has ended and what it set off rests", () => {
  const { tell, given } = cluster();
  tell("kubectl.command");
  vi.advanceTimersByTime(10 * REST);
  expect(given()).toBe(0);
  tell("kubectl.exit");
  vi.advanceTimersByTime(REST - 1);
  tell("etcd.put");
  vi.advanceTimersByTime(REST - 1);
  expect(given()).toBe(0);
  vi.advanceTimersByTime(1);
  expect(given()).toBe(1);
  tell("etcd.put");
  vi.advanceTimersByTime(10 * REST);
  expect(given()).toBe(1);
});

test("it stays while somebody holds it, and goes when the last one lets go", () => {
  const { tell, way, given } = cluster();
  const [one, two] = [way.hold(), way.hold()];
  tell("kubectl.command");
  tell("kubectl.exit");
  vi.advanceTimersByTime(10 * REST);
  one.dispose();
  one.dispose();
  expect(given()).toBe(0);
  two.dispose();
  expect(given()).toBe(1);
});

test("it gives no way to anything once it is disposed of", () => {
  const { tell, way, given } = cluster();
  tell("kubectl.command");
  tell("kubectl.exit");
  way.dispose();
  vi.advanceTimersByTime(10 * REST);
  expect(given()).toBe(0);
});
