import { expect, test } from "vitest";
import { Owner } from "./owner.ts";

/** Web Locks of one browser, as far as they are used: one name, steal, signal. */
function browser() {
  let held: { steal: () => void } | undefined;
  const waiting: (() => void)[] = [];
  return {
    request(
      _name: string,
      options: LockOptions,
      callback: (lock: unknown) => Promise<void> | undefined,
    ) {
      return new Promise<void>((resolve, reject) => {
        const aborted = () => reject(new DOMException("aborted", "AbortError"));
        const grant = () => {
          const mine = { steal: aborted };
          held = mine;
          void callback({})?.then(() => {
            if (held !== mine) return;
            held = undefined;
            resolve();
            waiting.shift()?.();
          });
        };
        if (options.ifAvailable && held) {
          void callback(null);
          resolve();
          return;
        }
        if (options.steal) held?.steal();
        if (options.steal || !held) grant();
        else {
          waiting.push(grant);
          options.signal?.addEventListener("abort", () => {
            if (waiting.includes(grant)) waiting.splice(waiting.indexOf(grant), 1);
            aborted();
          });
        }
      });
    },
  } as unknown as Pick<LockManager, "request">;
}

function tab(name: string, locks: ReturnType<typeof browser>) {
  const said = { lost: 0, slow: 0 };
  const owner = new Owner(name, () => said.lost++, locks);
  /** Takes the cluster; `open` says whether the other's Worker still has its files. */
  const take = (open: () => boolean) =>
    owner.take(
      () => said.slow++,
      () => Promise.resolve(open()),
      0,
    );
  return { owner, said, take };
}

test("the tab that has a cluster loses it to the one that takes it, and is told once", async () => {
  const locks = browser();
  const [one, two] = [tab("demo", locks), tab("demo", locks)];
  expect(await one.owner.claim()).toBe(true);
  expect(await two.owner.claim(undefined, 0)).toBe(false);
  expect(await two.take(() => one.said.lost === 0)).toBe(true);
  expect([one.said, two.said]).toEqual([
    { lost: 1, slow: 0 },
    { lost: 0, slow: 0 },
  ]);
  expect(await one.owner.claim(undefined, 0)).toBe(false);
});

test("what a page that was reloaded is just giving back is waited for", async () => {
  const locks = browser();
  const [before, now] = [tab("demo", locks), tab("demo", locks)];
  expect(await before.owner.claim()).toBe(true);
  const claimed = now.owner.claim(undefined, 60_000);
  before.owner.dispose();
  expect(await claimed).toBe(true);
  expect(before.said.lost).toBe(0);
});

test("a browser that takes its time has not given the cluster to anybody", async () => {
  const locks = browser();
  const slow = {
    request: (...all: Parameters<typeof locks.request>) =>
      new Promise((resolve) => setTimeout(resolve, 50)).then(() => locks.request(...all)),
  } as never;
  expect(await new Owner("demo", () => undefined, slow).claim(undefined, 0)).toBe(true);
});

test("what the other tab lets go of later is said", async () => {
  const locks = browser();
  const [one, two, three] = [tab("demo", locks), tab("demo", locks), tab("demo", locks)];
  expect(await one.owner.claim()).toBe(true);
  const freed = new Promise<void>((resolve) => void two.owner.claim(resolve, 0));
  expect(await three.owner.claim(() => expect.fail("it did not wait any more"), 0)).toBe(false);
  three.owner.dispose();
  await Promise.resolve();
  one.owner.dispose();
  await freed;
  expect(two.said.lost).toBe(0);
});

test("a frozen tab is told of, and waited for until it wakes up", async () => {
  const locks = browser();
  const [one, two] = [tab("demo", locks), tab("demo", locks)];
  expect(await one.owner.claim()).toBe(true);
  let looks = 0;
  expect(await two.take(() => ++looks < 100)).toBe(true);
  expect([looks, two.said.slow]).toEqual([100, 1]);
});

test("of two that take it at once, one has it", async () => {
  const locks = browser();
  const [one, two, three] = [tab("demo", locks), tab("demo", locks), tab("demo", locks)];
  expect(await one.owner.claim()).toBe(true);
  let looks = 0;
  const open = () => ++looks < 10;
  expect(await Promise.all([two.take(open), three.take(open)])).toEqual([false, true]);
  expect([one.said.lost, two.said.lost, three.said.lost]).toEqual([1, 1, 0]);
});

test("where locks are forbidden, the files decide", async () => {
  const broken = { request: () => Promise.reject(new DOMException("no", "SecurityError")) };
  expect(await new Owner("demo", () => undefined, broken as never).claim()).toBe(true);
});
