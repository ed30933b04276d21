import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { Signal } from "../state/signal.ts";
import { step } from "../trace/steps.testing.ts";
import { REST } from "./at-rest.ts";
import { ThenSlowly } from "./then-slowly.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function followed() {
  const arrivals = new Signal<readonly TraceStep[]>();
  const steps = new Map<number, TraceStep>();
  const tell = (id: number, kind: string, cause?: number) => {
    const one = step(id, kind, cause === undefined ? {} : { cause });
    steps.set(id, one);
    arrivals.emit([one]);
  };
  const page = new EventTarget();
  const told: number[] = [];
  const then = new ThenSlowly({
    trace: { arrivals, steps },
    page,
    slowly: (command) => told.push(command.id),
  });
  const ends = () => {
    tell(5, "kubectl.command");
    tell(6, "kubectl.exit", 5);
    vi.advanceTimersByTime(REST - 1);
    tell(7, "cri.StartContainer", 5);
    vi.advanceTimersByTime(REST - 1);
  };
  return { then, tell, told, ends, page };
}

test("a command that was followed is told slowly once, when it rests", () => {
  const { told, ends, tell } = followed();
  ends();
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual([5]);
  tell(8, "etcd.put", 5);
  vi.advanceTimersByTime(10 * REST);
  expect(told).toEqual([5]);
});

test.each(["pointerdown", "keydown"])("not to who has pressed something meanwhile: %s", (press) => {
  const { told, ends, page } = followed();
  ends();
  page.dispatchEvent(new Event(press));
  vi.advanceTimersByTime(10 * REST);
  expect(told).toEqual([]);
});

test("nor to who has gone elsewhere", () => {
  const { told, ends, then } = followed();
  ends();
  then.dispose();
  vi.advanceTimersByTime(10 * REST);
  expect(told).toEqual([]);
});
