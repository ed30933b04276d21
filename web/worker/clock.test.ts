import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { installClock, type Time } from "./clock.ts";
import type { GoRuntime } from "./gohost.ts";

describe("the program's clock", () => {
  const gojs: Record<string, (sp: number) => void> = { "runtime.walltime": () => undefined };
  const go = {
    mem: new DataView(new ArrayBuffer(64)),
    importObject: { gojs },
  } as unknown as GoRuntime;
  const read = () => {
    gojs["runtime.walltime"]?.(16);
    return {
      seconds: Number(go.mem.getBigInt64(24, true)),
      nanoseconds: go.mem.getInt32(32, true),
    };
  };
  let stop: () => void;
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_795_176_000_123 });
    stop = installClock(go).stop;
  });
  afterEach(() => {
    stop();
    vi.useRealTimers();
  });

  test("is the browser's, and no reading is like the one before", () => {
    expect(read()).toEqual({ seconds: 1_795_176_000, nanoseconds: 123_000_000 });
    expect(read()).toEqual({ seconds: 1_795_176_000, nanoseconds: 123_000_001 });
    vi.advanceTimersByTime(1);
    expect(read()).toEqual({ seconds: 1_795_176_000, nanoseconds: 124_000_000 });
  });

  test("holds seconds that do not fit into 32 bits", () => {
    vi.setSystemTime(2 ** 32 * 1000 + 5);
    expect(read()).toEqual({ seconds: 2 ** 32, nanoseconds: 5_000_000 });
  });
});

describe("the program's monotonic clock", () => {
  const gojs: Record<string, (sp: number) => void> = {};
  const go = {
    mem: new DataView(new ArrayBuffer(64)),
    importObject: { gojs },
  } as unknown as GoRuntime;
  const time: Time & { now: number } = { wall: () => 0, now: 0, steady: () => time.now };
  const naps: number[] = [];
  /** Milliseconds, as the program reads them. */
  const read = () => {
    gojs["runtime.nanotime1"]?.(16);
    return Number(go.mem.getBigInt64(24, true)) / 1e6;
  };
  let clock: ReturnType<typeof installClock>;
  beforeEach(() => {
    vi.useFakeTimers();
    naps.length = 0;
    time.now = 1000;
    clock = installClock(go, (milliseconds) => naps.push(milliseconds), time);
  });
  afterEach(() => {
    clock.stop();
    vi.useRealTimers();
  });

  test("is the browser's while the tab is awake, however long nothing reads it", () => {
    expect(read()).toBe(1000);
    for (let i = 0; i < 100; i++) {
      time.now += 1000;
      vi.advanceTimersByTime(1000); // the clock's own look
    }
    time.now += 0.25;
    expect(read()).toBe(101_000.25);
    expect(naps).toEqual([]);
  });

  test("goes on while timers are throttled to once in nine seconds", () => {
    time.now += 9000;
    expect(read()).toBe(10_000);
  });

  test("stands still while the tab sleeps, and says for how long", () => {
    time.now += 500;
    expect(read()).toBe(1500);
    time.now += 600_000; // no timer fires
    expect(read()).toBe(1500);
    time.now += 20;
    expect(read()).toBe(1520);
    vi.advanceTimersByTime(0);
    expect(naps).toEqual([600_000]);
    time.now += 60_000;
    clock.look();
    vi.advanceTimersByTime(0);
    expect(read()).toBe(1520);
    expect(naps).toEqual([600_000, 60_000]);
  });

  test("stands still while it is held, for however short a time, and does not look", () => {
    clock.hold();
    time.now += 3000;
    vi.advanceTimersByTime(3000);
    expect(read()).toBe(1000);
    clock.release();
    expect(read()).toBe(1000);
    time.now += 5;
    expect(read()).toBe(1005);
    vi.advanceTimersByTime(0);
    expect(naps).toEqual([]);
    clock.hold();
    time.now += 60_000;
    clock.release();
    clock.release();
    vi.advanceTimersByTime(0);
    expect([read(), ...naps]).toEqual([1005, 60_000]);
  });

  test("holds more nanoseconds than fit into 53 bits", () => {
    const days = 200 * 24 * 3600 * 1000;
    clock.stop();
    time.now = days;
    clock = installClock(go, undefined, time);
    expect(read()).toBe(days);
    time.now += 1;
    expect(read()).toBe(days + 1);
  });
});
