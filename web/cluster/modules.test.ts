import { expect, test } from "vitest";
import type { Loaded } from "../worker/load.ts";
import { Modules } from "./modules.ts";

const loaded = () => ({ module: {}, manifest: {} }) as unknown as Loaded;

test("the first loads, and those who come later get what it has", async () => {
  const modules = new Modules();
  const [first, second] = [modules.join("m"), modules.join("m")];
  expect(await first.compiled).toBeUndefined();
  const it = loaded();
  first.offer(it);
  expect(await second.compiled).toBe(it);
  expect(await modules.join("m").compiled).toBe(it);
  expect(await modules.join("another").compiled).toBeUndefined();
});

test("one that fails, or leaves before it has loaded, has the next one load", async () => {
  const modules = new Modules();
  const parts = [modules.join("m"), modules.join("m"), modules.join("m")] as const;
  parts[0].offer(undefined);
  expect(await parts[1].compiled).toBeUndefined();
  parts[1].leave();
  parts[1].leave();
  expect(await parts[2].compiled).toBeUndefined();
  const it = loaded();
  parts[2].offer(it);
  expect(await modules.join("m").compiled).toBe(it);
});

test("nothing is held when the last has left", async () => {
  const modules = new Modules();
  const [first, second] = [modules.join("m"), modules.join("m")];
  first.offer(loaded());
  first.leave();
  expect(await modules.join("m").compiled).toBeDefined();
  second.leave();
  const third = modules.join("m"); // joined while one was there
  third.leave();
});

test("who comes after the last has left loads anew", async () => {
  const modules = new Modules();
  const first = modules.join("m");
  first.offer(loaded());
  first.leave();
  expect(await modules.join("m").compiled).toBeUndefined();
});
