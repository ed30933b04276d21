import { expect, test } from "vitest";
import { Causes } from "./causes.ts";

test("a step is under its cause until it is forgotten", () => {
  const causes = new Causes();
  causes.add(1, 2);
  causes.add(1, 3);
  expect(causes.of(1)).toEqual([2, 3]);
  causes.forget(2, 1);
  expect(causes.of(1)).toEqual([3]);
  causes.forget(9, 1); // not known to be under it
  expect(causes.of(1)).toEqual([3]);
});

test("nothing is left of steps whose cause went before them, or never came", () => {
  const causes = new Causes();
  causes.add(1, 2);
  causes.forget(1, undefined);
  causes.add(1, 3); // ended after its cause was forgotten
  causes.add(7, 8); // its cause never ends
  causes.forget(2, 1);
  causes.forget(3, 1);
  causes.forget(8, 7);
  expect(causes.size).toBe(0);
});
