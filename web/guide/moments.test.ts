import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { nearest } from "../journey/story.ts";
import { Moments } from "./moments.ts";

const step = (id: number): TraceStep => ({
  id,
  at: id,
  component: "c",
  kind: "k",
  chapter: "etcd",
});
const [a, b, c] = [step(1), step(2), step(3)];
const all = [a, b, c];

test("a step has a moment if it is told slowly, once it is known which are", async () => {
  let changed = 0;
  let asked = 0;
  const moments = new Moments(
    () => changed++,
    () => Promise.resolve((of) => (asked++, of.filter(({ id }) => id !== 2))),
  );
  expect(moments.has(a, all)).toBe(false);
  expect(moments.has(c, all)).toBe(false);
  await expect.poll(() => changed).toBe(1);
  expect(all.map((one) => moments.has(one, all))).toEqual([true, false, true]);
  expect(asked).toBe(1);
  // More has come of the command.
  const more = [...all, step(4)];
  expect(more.map((one) => moments.has(one, more))).toEqual([true, false, true, true]);
  expect(await moments.story(all)).toEqual([a, c]);
});

test("of very many steps nobody is asked, and who could not be fetched is fetched again", async () => {
  let fetched = 0;
  const moments = new Moments(
    () => undefined,
    () => (fetched++, Promise.reject(new Error("offline"))),
  );
  const many = Array.from({ length: 3001 }, (_, i) => step(i));
  expect(moments.has(a, many)).toBe(false);
  expect(fetched).toBe(0);
  moments.has(a, all);
  moments.has(b, all);
  await expect.poll(() => (moments.has(a, all), fetched)).toBe(2);
});

test("a step that is not told is where the last one is that began before it", () => {
  expect(nearest([a, c], c)).toBe(1);
  expect(nearest([a, c], b)).toBe(0);
  expect(nearest([b, c], a)).toBe(0);
});

test("a request has none: what is said of it is said of its end", async () => {
  const request = { ...step(4), kind: "apiserver.request" };
  const moments = new Moments(
    () => undefined,
    () => Promise.resolve((of) => of),
  );
  await moments.story(all);
  expect(moments.has(a, all)).toBe(true);
  expect(moments.has(request, [...all, request])).toBe(false);
});
