import { expect, test } from "vitest";
import { hold, holdByAsking, type Hold } from "../state/hold.ts";
import { claim, Gate } from "./tabs.ts";

/** How a tab holds a name at an address without locks (http:// of another machine). */
const insecure = (name: string): Hold => holdByAsking(name, 100);

test("without locks the second tab is told, too", async () => {
  const first = claim(false, insecure);
  await expect(first.held).resolves.toBe(true);
  const second = claim(false, insecure);
  await expect(second.held).resolves.toBe(false);
  first.dispose();
  const third = claim(false, insecure);
  await expect(third.held).resolves.toBe(true);
  third.dispose();
});

test("an embed always may, and holds nothing", async () => {
  const asked: string[] = [];
  const embed = claim(true, (name) => (asked.push(name), hold(name)));
  await expect(embed.held).resolves.toBe(true);
  expect(asked).toEqual([]);
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
