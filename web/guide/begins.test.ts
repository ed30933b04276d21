import { expect, test } from "vitest";
import { Begins } from "./begins.ts";

test("who follows is led to the beginning of each command that is told, once", () => {
  const begins = new Begins();
  expect(begins.tells(undefined, true)).toBe(false);
  expect(begins.tells(4, true)).toBe(true);
  expect(begins.tells(4, true)).toBe(false);
  expect(begins.tells(9, true)).toBe(true);
  // One of before that somebody has chosen is read where they are.
  expect(begins.tells(4, true)).toBe(false);
  expect(begins.tells(9, true)).toBe(false);
  expect(begins.another).toBe(false);
});

test("who does not follow stays, and is told of another command until they go on", () => {
  const begins = new Begins();
  expect(begins.tells(4, false)).toBe(false);
  // There was none before it.
  expect(begins.another).toBe(false);
  expect(begins.tells(9, false)).toBe(false);
  expect(begins.another).toBe(true);
  begins.tells(9, false);
  expect(begins.another).toBe(true);
  begins.read();
  expect(begins.another).toBe(false);
  // They know of what they have chosen themselves.
  begins.choose(12);
  begins.tells(12, false);
  expect(begins.another).toBe(false);
});
