import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { installClock } from "./clock.ts";
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
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_795_176_000_123 });
    installClock(go);
  });
  afterEach(() => {
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
