import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { GoRuntime } from "./gohost.ts";
import { Timers } from "./timers.ts";

const gojs: Record<string, (sp: number) => void> = {};
const mem = new DataView(new ArrayBuffer(64));
let fired: number;
let missed: number;
let timers: Timers;

/** As the program asks for an event, and gets its number. */
function schedule(delay: number): number {
  mem.setBigInt64(16, BigInt(delay), true);
  gojs["runtime.scheduleTimeoutEvent"]?.(8);
  return mem.getInt32(24, true);
}
function clear(id: number): void {
  mem.setInt32(16, id, true);
  gojs["runtime.clearTimeoutEvent"]?.(8);
}

beforeEach(() => {
  vi.useFakeTimers();
  fired = missed = 0;
  let open: number[] = [];
  const go = {
    mem,
    importObject: { gojs },
    _resume: () => {
      fired++;
      if (missed-- > 0) return;
      for (const id of open) clear(id);
      open = [];
    },
  } as unknown as GoRuntime;
  timers = new Timers(go);
  const asked = gojs["runtime.scheduleTimeoutEvent"];
  gojs["runtime.scheduleTimeoutEvent"] = (sp) => {
    asked?.(sp);
    open.push(mem.getInt32(sp + 16, true));
  };
});
afterEach(() => void vi.useRealTimers());

test("an event comes in its time, once", () => {
  schedule(20);
  vi.advanceTimersByTime(19);
  expect(fired).toBe(0);
  vi.advanceTimersByTime(100);
  expect(fired).toBe(1);
});

test("one that the program takes back does not come", () => {
  clear(schedule(20));
  vi.advanceTimersByTime(100);
  expect(fired).toBe(0);
});

test("one that the program has missed is told again", () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  missed = 2;
  schedule(5);
  vi.advanceTimersByTime(5);
  expect(fired).toBe(3);
});

test("what is held comes as much later, and what is asked for meanwhile waits", () => {
  schedule(20);
  vi.advanceTimersByTime(15);
  timers.hold();
  timers.hold();
  const late = schedule(3);
  vi.advanceTimersByTime(60_000);
  expect(fired).toBe(0);
  clear(late);
  timers.release();
  vi.advanceTimersByTime(4);
  expect(fired).toBe(0);
  vi.advanceTimersByTime(1);
  expect(fired).toBe(1);
});

test("what is taken back while it is held does not come", () => {
  const id = schedule(20);
  timers.hold();
  clear(id);
  timers.release();
  vi.advanceTimersByTime(100);
  expect(fired).toBe(0);
});
