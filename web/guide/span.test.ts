import { expect, test } from "vitest";
import { caused } from "../trace/steps.testing.ts";
import { reached } from "../trace/told.ts";
import { asTold, saySpan, shortSpan } from "./span.ts";

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

test("a chapter begins where the story comes to it, and not with a question before that", () => {
  const part = (id: number, kind: string, chapter: string, at: number) => ({
    ...caused(id, id < 10 ? 2 : 10, kind, { chapter }),
    at,
  });
  const command = { ...caused(1, 0, "kubectl.command", { chapter: "kubectl" }), at: 1000 };
  const asks = (id: number, at: number) => ({ ...caused(id, 1, "apiserver.request"), at });
  // It asks what there is, and changes it then.
  const story = [
    command,
    part(11, "admission.mutating", "admission", 1102),
    part(12, "registry.stored", "etcd", 1100),
    part(13, "etcd.put", "etcd", 1110),
  ];
  const handler = part(3, "apiserver.handler", "etcd", 1053);
  const read = { ...handler, details: { from: "etcd" } };
  const steps = [command, asks(2, 1050), read, asks(10, 1099), ...story.slice(1)];
  const lit = asTold(reached(steps, 1000), story, 1000);
  expect(["admission", "etcd"].map((name) => lit.get(name)?.after)).toEqual([102, 110]);
  const etcd = lit.get("etcd");
  expect(etcd && saySpan(etcd)).toBe(
    "5 steps: the first told slowly at +110 ms, the last ended at +110 ms",
  );
  // As long as nobody knows what is told it is when the first of them was.
  expect(asTold(reached(steps, 1000), [], 1000).get("etcd")?.after).toBe(50);
});
