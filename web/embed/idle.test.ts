import { afterEach, expect, test, vi } from "vitest";
import { whenIdle } from "./idle.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("it begins when the browser says that nothing else is to be done", () => {
  const waiting = new Map<number, () => void>();
  vi.stubGlobal("requestIdleCallback", (begin: () => void) => {
    waiting.set(waiting.size, begin);
    return waiting.size - 1;
  });
  vi.stubGlobal("cancelIdleCallback", (which: number) => waiting.delete(which));
  const [first, second] = [vi.fn(), vi.fn()];
  whenIdle(first);
  whenIdle(second).dispose();
  expect(first).not.toHaveBeenCalled();
  for (const begin of waiting.values()) begin();
  expect(first).toHaveBeenCalledOnce();
  expect(second).not.toHaveBeenCalled();
});

test("a browser that does not say has a pause", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const [first, second] = [vi.fn(), vi.fn()];
  whenIdle(first);
  whenIdle(second).dispose();
  expect(first).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(first).toHaveBeenCalledOnce();
  expect(second).not.toHaveBeenCalled();
});
