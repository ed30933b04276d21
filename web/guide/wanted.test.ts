import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { Wanted } from "./wanted.ts";

/** Commands, each with one step below it. */
class Trace {
  readonly steps = new Map<number, TraceStep>();

  add(id: number, kind: string, cause?: number): this {
    const of = { id, at: id, kind, component: "c", chapter: "kubectl" };
    this.steps.set(id, cause === undefined ? of : { ...of, cause });
    return this;
  }

  tree(id: number) {
    return [...this.steps.values()]
      .filter((step) => step.id === id || step.cause === id)
      .map((step) => ({ step, depth: 0, children: 0 }));
  }
}

test("what was run to be told next is the first command after it that does something, once", () => {
  const trace = new Trace().add(1, "kubectl.command").add(2, "etcd.put", 1);
  const wanted = new Wanted(trace);
  expect(wanted.take()).toBeUndefined();
  wanted.ask();
  expect(wanted.take()).toBeUndefined();
  trace.add(3, "kubectl.command");
  // Of its line one only looks.
  expect(wanted.take()).toBeUndefined();
  trace.add(5, "kubectl.command").add(6, "authorization.forbidden", 5);
  expect(wanted.take()?.id).toBe(5);
  trace.add(7, "kubectl.command").add(8, "etcd.put", 7);
  expect(wanted.take()).toBeUndefined();
});

test("nobody is taken to it who has chosen another one meanwhile", () => {
  const trace = new Trace();
  const wanted = new Wanted(trace);
  wanted.ask();
  wanted.forget();
  trace.add(3, "kubectl.command").add(4, "etcd.put", 3);
  expect(wanted.take()).toBeUndefined();
});
