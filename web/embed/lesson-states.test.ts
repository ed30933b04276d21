import { expect, test } from "vitest";
import type { Part, Step } from "../lesson/lesson.ts";
import { PartStates, PASSED } from "./lesson-states.ts";

const part = (kind: Part["kind"], more: Partial<Part> = {}): Part => ({
  type: "part",
  kind,
  text: "",
  ...more,
});

test("a step is done by its checks, or, without such, by what runs; here only if it was in this cluster", () => {
  const states = new PartStates(() => undefined);
  const [run, check] = [part("run"), part("check")];
  states.change(run, { is: "done" });
  expect(states.settled([run, check])).toEqual({ here: true, done: false });
  states.change(check, { is: "done", before: true });
  expect(states.settled([check])).toEqual({ here: true, done: true }); // nothing in it runs
  expect(states.settled([part("run"), check])).toEqual({ here: false, done: true });
  expect(states.settled([run, part("run", { reset: true })])).toEqual({ here: true, done: true });
});

test("what is undone has passed before, what ran is as new", () => {
  const states = new PartStates(() => undefined);
  const [run, check, question] = [part("run"), part("check"), part("question")];
  const steps: Step[] = [{ title: "One", blocks: [run, check, question] }];
  for (const one of [run, check]) states.change(one, { is: "done", output: "x" });
  expect(states.passed(steps)).toEqual(new Map([[0, new Set([0])]]));
  states.undone(steps);
  expect(states.of(check)).toBe(PASSED);
  expect([run, question].map((one) => states.of(one).is)).toEqual(["waiting", "waiting"]);
});
