import { expect, test } from "vitest";
import { SharedCluster, type OpenTerminal } from "./shared.ts";

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
