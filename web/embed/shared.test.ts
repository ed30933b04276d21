import { expect, test, vi } from "vitest";
import { initialBoot, reduceBoot, type BootAction, type BootState } from "../boot/boot.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { embed, STOPPED } from "../sdk/create.ts";
import { Store } from "../state/store.ts";
import { SharedCluster, sharedOfPage, sharedOver, type OpenTerminal } from "./shared.ts";

const terminal = (shell: string): OpenTerminal => ({
  shell,
  busy: false,
  execute: () => Promise.resolve(0),
  run: () => undefined,
  type: () => undefined,
  focus: () => undefined,
});

test("a lesson's shell is shown by the terminal that opens next, and by no other", () => {
  const shared = new SharedCluster({});
  expect(shared.claim()).toBeUndefined();
  shared.offer("lesson-1");
  expect(shared.offers("lesson-1")).toBe(true);
  const shell = shared.claim() ?? "";
  expect([shell, shared.offers("lesson-1"), shared.claim()]).toEqual([
    "lesson-1",
    false,
    undefined,
  ]);
  const open = shared.opened(terminal(shell));
  expect(shared.terminalOf("lesson-1")).toBe(shared.terminal);
  open.dispose();
  expect([shared.terminalOf("lesson-1"), shared.terminal]).toEqual([undefined, undefined]);
});

test("a guide that is open is led to, until it is closed", () => {
  const shared = new SharedCluster({});
  let changes = 0;
  shared.onChange(() => changes++);
  const guide = { read: () => undefined, follow: () => undefined };
  const open = shared.guides(guide);
  expect(shared.guide).toBe(guide);
  open.dispose();
  expect([shared.guide, changes]).toEqual([undefined, 2]);
});

test("what opens along with the cluster is waited for, whether it opens or not", async () => {
  const shared = new SharedCluster({});
  await shared.joined();
  let open = (): void => undefined;
  shared.opens(new Promise((resolve) => (open = resolve)));
  let waited = false;
  const joined = shared.joined().then(() => (waited = true));
  await Promise.resolve();
  expect(waited).toBe(false);
  open();
  await joined;
});

/** A cluster that a page has made, whose `ready` is settled as it says. */
function made(ready: Promise<void>) {
  const boot = new Store<BootState, BootAction>(reduceBoot, initialBoot);
  const slept = new Store((_: undefined, next: undefined) => next, undefined);
  const end = vi.fn(() => boot.dispatch(STOPPED));
  ready.catch(() => undefined);
  const cluster = embed({ boot, slept, ready, client: {} } as unknown as Cluster, [], end);
  return { boot, cluster, end };
}
const quiet = () => undefined;
const { signal } = new AbortController();

test("whatever names a cluster that there is already shares it", async () => {
  const { cluster, end } = made(Promise.resolve());
  const shared = sharedOver(cluster);
  expect(sharedOver(cluster)).toBe(shared);
  expect(sharedOver(made(Promise.resolve()).cluster)).not.toBe(shared);
  expect(shared.begun).toBe(true);
  expect(await shared.started(quiet, signal)).toBe(cluster);
  shared.suggest({ nodes: 7 });
  shared.endUnused();
  shared.dispose();
  expect(end).not.toHaveBeenCalled();
});

test("all that names none shares one, which nothing has begun", () => {
  expect(sharedOfPage()).toBe(sharedOfPage());
  expect(sharedOfPage().begun).toBe(false);
});

test("a cluster of the page's that fails is told, each time, and neither ended nor replaced", async () => {
  const { cluster, end } = made(Promise.reject(new Error("a manifest was refused")));
  const shared = sharedOver(cluster);
  for (let n = 0; n < 2; n++)
    await expect(shared.started(quiet, signal)).rejects.toThrow("a manifest was refused");
  expect(end).not.toHaveBeenCalled();
  expect(sharedOver(cluster)).toBe(shared);
});

test("a cluster of the page's that has broken since is not opened", async () => {
  const { boot, cluster } = made(Promise.resolve());
  const shared = sharedOver(cluster);
  boot.dispatch({ type: "fault", component: "worker", message: "It ran out.", hint: "Reload." });
  await expect(shared.started(quiet, signal)).rejects.toThrow("It ran out.");
  expect(shared.ended.aborted).toBe(false);
});

test("what is open is told when the page ends its cluster", async () => {
  const { cluster } = made(Promise.resolve());
  const shared = sharedOver(cluster);
  cluster.dispose();
  expect(shared.ended.aborted).toBe(true);
  await expect(shared.started(quiet, signal)).rejects.toThrow("was disposed of");
});
