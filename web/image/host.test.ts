import { expect, test } from "vitest";
import { shortOf, shortStorage, tooMuch } from "./host.ts";

test("no second copy of the memory is made where a machine has too little", () => {
  for (const gigabytes of [0.25, 0.5, 1, 2])
    expect(shortOf(gigabytes)).toMatch(/too little memory/);
  for (const gigabytes of [4, 8, 32]) expect(shortOf(gigabytes)).toBe("");
  expect(shortOf(undefined), "a browser that does not say").toBe("");
});

test("nor of a program that has too much", () => {
  expect(tooMuch(640 << 20)).toBe("");
  expect(tooMuch((640 << 20) + (64 << 10))).toBe(
    "it has 671 MB of memory, and 671 are kept at most",
  );
  expect(tooMuch(900e6)).toMatch(/^it has 900 MB/);
});

test("nor where there is no room for it beside the one before", () => {
  expect(shortStorage(300e6, { quota: 1000e6, usage: 400e6 })).toBe("");
  expect(shortStorage(300e6, { quota: 1000e6, usage: 401e6 })).toMatch(
    /600 MB are to be free, and 599 are/,
  );
  expect(shortStorage(1, {}), "a browser that does not say").toMatch(/is short/);
});
