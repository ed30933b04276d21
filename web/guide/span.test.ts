import { expect, test } from "vitest";
import { saySpan, shortSpan } from "./span.ts";

test.each([
  [7, 283, "+7.0 to +283 ms"],
  [120, 1240, "+120 ms to +1.24 s"],
  [1100, 2300, "+1.10 to +2.30 s"],
  [12, 12.2, "+12 ms"],
])("a chapter's steps went from %d to %d milliseconds: %s", (after, until, said) => {
  expect(shortSpan({ after, until, steps: 3 })).toBe(said);
});

test("what it is is said in words", () => {
  const of = { after: 7, until: 283 };
  expect(saySpan({ ...of, steps: 28 })).toBe(
    "28 steps: the first at +7.0 ms, the last ended at +283 ms",
  );
  expect(saySpan({ ...of, steps: 1 })).toBe("1 step, which ended at +283 ms");
  expect(saySpan({ ...of, steps: 0 })).toBe("the last container ran at +283 ms");
});
