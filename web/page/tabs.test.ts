import { expect, test } from "vitest";
import { claim, Gate } from "./tabs.ts";

/** Web Locks of one browser. */
function locks() {
  const held = new Set<string>();
  return {
    request(name: string, _options: unknown, callback: (lock: unknown) => unknown) {
      if (held.has(name)) return Promise.resolve(callback(null));
      held.add(name);
      return Promise.resolve(callback({ name }));
    },
  } as unknown as Pick<LockManager, "request">;
}

test("the first tab may start, the second one is told", async () => {
  const browser = locks();
  await expect(claim(browser, false)).resolves.toBe(true);
  await expect(claim(browser, false)).resolves.toBe(false);
});

test("an embed, and a browser without locks, always may", async () => {
  const browser = locks();
  await claim(browser, false);
  await expect(claim(browser, true)).resolves.toBe(true);
  await expect(claim(undefined, false)).resolves.toBe(true);
  const broken = { request: () => Promise.reject(new Error("forbidden")) };
  await expect(claim(broken as never, false)).resolves.toBe(true);
});

test("a gate opens once it is unlocked", async () => {
  const gate = new Gate();
  let through = false;
  void gate.open.then(() => (through = true));
  await Promise.resolve();
  expect(through).toBe(false);
  gate.unlock();
  await gate.open;
  expect(through).toBe(true);
});
