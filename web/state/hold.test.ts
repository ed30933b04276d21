import { expect, test } from "vitest";
import { hold, holdByAsking } from "./hold.ts";

/** Web Locks of one browser. */
function browser() {
  const held = new Set<string>();
  return {
    async request(name: string, _options: unknown, callback: (lock: unknown) => unknown) {
      if (held.has(name)) {
        await callback(null);
        return;
      }
      held.add(name);
      await callback({ name });
      held.delete(name);
    },
  } as unknown as Pick<LockManager, "request">;
}

test("with locks, a name is held by one until it lets go", async () => {
  const locks = browser();
  const first = hold("a cluster", locks);
  expect(await first.held).toBe(true);
  expect(await hold("a cluster", locks).held).toBe(false);
  expect(await hold("another", locks).held).toBe(true);
  first.dispose();
  await Promise.resolve();
  await Promise.resolve();
  expect(await hold("a cluster", locks).held).toBe(true);
});

test("where locks are forbidden, nobody else can have it", async () => {
  const broken = { request: () => Promise.reject(new Error("forbidden")) };
  expect(await hold("a cluster", broken as never).held).toBe(true);
});

test("without locks, the tab that has a name keeps it until it lets go", async () => {
  const first = holdByAsking("a tab", 100);
  expect(await first.held).toBe(true);
  const duplicate = holdByAsking("a tab", 10_000); // the first one answers
  expect(await duplicate.held).toBe(false);
  const other = holdByAsking("another tab", 100);
  expect(await other.held).toBe(true);
  first.dispose();
  const reloaded = holdByAsking("a tab", 100);
  expect(await reloaded.held).toBe(true);
  reloaded.dispose();
  other.dispose();
  const both = [holdByAsking("two at once", 100), holdByAsking("two at once", 100)];
  const held = await Promise.all(both.map((tab) => tab.held));
  expect(held.filter(Boolean)).toHaveLength(1);
  for (const tab of both) tab.dispose();
});
