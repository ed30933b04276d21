import { expect, test } from "vitest";
import { beforeStart, littleMemory } from "./before.ts";

test("before it starts, it says what it downloads, and warns who has little memory", () => {
  expect(beforeStart(undefined)).toBe("It runs in this tab; it is downloaded once.");
  expect(beforeStart(19_400_000)).toBe("It runs in this tab. 19 MB are downloaded, once.");
  expect(littleMemory(2)).toBe("");
  expect(littleMemory(0.5)).toMatch(/^This device has 0.5 GB of memory, .* may end it/);
});
