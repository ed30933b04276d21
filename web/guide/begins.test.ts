import { expect, test } from "vitest";
import { Begins } from "./begins.ts";

test("who reads is told of another command until they go on", () => {
  const begins = new Begins();
  begins.tells(undefined);
  begins.tells(4);
  // There was none before it.
  expect(begins.another).toBe(false);
  begins.tells(9);
  expect(begins.another).toBe(true);
  begins.tells(9);
  expect(begins.another).toBe(true);
  begins.read();
  expect(begins.another).toBe(false);
});

test("they know of what they have chosen themselves, and of one of before", () => {
  const begins = new Begins();
  begins.tells(9);
  begins.tells(4);
  begins.tells(9);
  expect(begins.another).toBe(false);
  begins.choose(12);
  begins.tells(12);
  expect(begins.another).toBe(false);
});
