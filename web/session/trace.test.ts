import { expect, test, vi } from "vitest";
import type { CallHandlers } from "../rpc/client.ts";
import type { TraceStep } from "../rpc/protocol.ts";
import { MAX_TOLD } from "./told.ts";
import { MAX_START, MAX_STEPS, Trace, type TraceClient } from "./trace.ts";

function step(id: number, more: Partial<TraceStep> = {}): TraceStep {
  return { id, at: id, component: "c", kind: "k", chapter: "etcd", ...more };
}

/** A worker that is asked for `trace` only. */
class FakeClient {
  open: { params: unknown; handlers: CallHandlers<unknown>; cancelled: boolean }[] = [];

  readonly client: TraceClient = {
    call: ((_method: string, params: unknown, handlers: CallHandlers<unknown>) => {
      const call = { params, handlers, cancelled: false };
      this.open.push(call);
      return {
        result: new Promise(() => undefined),
        cancel: () => (call.cancelled = true),
      };
    }) as unknown as TraceClient["call"],
  };

  say(text: string): void {
    void this.open.at(-1)?.handlers.data?.(new TextEncoder().encode(text), "body");
  }
}

test("steps are read while somebody follows, and drawn under their cause", () => {
  const fake = new FakeClient();
  const trace = new Trace(fake.client);
  expect(fake.open).toHaveLength(0);
  const one = trace.follow();
  const two = trace.follow();
  expect(fake.open).toHaveLength(1);
  // In brief: details of every step would cost the cluster more than what it does.
  expect(fake.open[0]?.params).not.toMatchObject({ details: true });

  // A line arrives in two parts; a child comes before its cause, which has not ended yet.
  const lines = [step(3, { cause: 1 }), step(2, { cause: 1 }), step(1)]
    .map((s) => JSON.stringify({ step: s }) + "\n")
    .join("");
  fake.say(lines.slice(0, 20));
  fake.say(lines.slice(20) + '{"missed":7}\n');
  expect(trace.tree(1).map(({ step: s, depth }) => [s.id, depth])).toEqual([
    [1, 0],
    [2, 1],
    [3, 1],
  ]);
  expect(trace.missed).toBe(7);

  one.dispose();
  one.dispose();
  expect(fake.open[0]?.cancelled).toBe(false);
  two.dispose();
  expect(fake.open[0]?.cancelled).toBe(true);
});

test("a step is nobody's ancestor twice, and the oldest go", () => {
  const fake = new FakeClient();
  const trace = new Trace(fake.client);
  trace.follow();
  fake.say(JSON.stringify({ step: step(5, { cause: 5 }) }) + "\n");
  expect(trace.tree(5)).toHaveLength(1);
  for (let id = 10; id < MAX_STEPS + 20; id++) {
    fake.say(JSON.stringify({ step: step(id, { cause: 10 }) }) + "\n");
  }
  expect(trace.steps.size).toBe(MAX_STEPS);
  expect(trace.steps.has(5)).toBe(false);
  expect(trace.under(10).length).toBeLessThanOrEqual(MAX_STEPS);
});

test("the start stays, however much comes after it; it has a bound of its own", () => {
  const fake = new FakeClient();
  const trace = new Trace(fake.client);
  trace.follow();
  const starts = { kind: "start.stage", chapter: "start" };
  const say = (from: number, to: number, more: Partial<TraceStep> = {}) => {
    for (let id = from; id < to; id++) fake.say(JSON.stringify({ step: step(id, more) }) + "\n");
  };
  const held = () => [...trace.steps.values()].filter(({ chapter }) => chapter === "start").length;
  say(1, 4, starts);
  say(10, MAX_STEPS + 50);
  say(MAX_STEPS + 50, MAX_STEPS + 52, starts);
  expect([held(), trace.steps.size - held()]).toEqual([5, MAX_STEPS]);
  say(100_000, 100_000 + MAX_START, starts);
  say(200_000, 200_100);
  expect([held(), trace.steps.size - held()]).toEqual([MAX_START, MAX_STEPS]);
  expect([trace.steps.has(1), trace.steps.has(100_000), trace.steps.has(149)]).toEqual([
    false,
    true,
    false,
  ]);
});

test("what nodes tell has nothing of the cluster's own go, and a flood ends no other node's story", () => {
  const fake = new FakeClient();
  const trace = new Trace(fake.client);
  trace.follow();
  const say = (steps: TraceStep[]) =>
    fake.say(steps.map((one) => JSON.stringify({ step: one }) + "\n").join(""));
  const of = (node: string | undefined, from: number, count: number) =>
    Array.from({ length: count }, (_, i) =>
      step(from + i, { cause: 1, ...(node !== undefined && { node, told: true }) }),
    );
  const held = (from: number, count: number) =>
    of("", from, count).filter(({ id }) => trace.steps.has(id)).length;
  say([step(1), ...of(undefined, 2, 499), ...of("honest", 501, 400)]);
  say(of("flood", 1000, MAX_STEPS + MAX_TOLD));
  expect(held(1, 500)).toBe(500);
  expect(held(501, 400)).toBe(400);
  expect(trace.steps.size).toBe(500 + MAX_TOLD);
  // The last of it is held, and drawn as long.
  expect(trace.steps.has(1000 + MAX_STEPS + MAX_TOLD - 1)).toBe(true);
  expect(trace.under(1)).toHaveLength(499 + MAX_TOLD);
  // What the cluster did goes for what the cluster does, as ever, and nothing that nodes told.
  say(of(undefined, 100_000, MAX_STEPS));
  expect(held(1, 500)).toBe(0);
  expect(held(501, 400)).toBe(400);
  expect(trace.steps.size).toBe(MAX_STEPS + MAX_TOLD);
});

test("what has gone is counted anew with what is sent anew", () => {
  const fake = new FakeClient();
  const trace = new Trace(fake.client);
  const first = trace.follow();
  fake.say('{"missed":7}\n');
  first.dispose();
  trace.follow();
  fake.say('{"missed":9}\n');
  expect(trace.missed).toBe(9);
});

test("what comes within a moment is one change, and is told at once where it matters", () => {
  vi.useFakeTimers();
  const fake = new FakeClient();
  const trace = new Trace(fake.client);
  trace.follow();
  const changes: number[] = [];
  const arrived: number[] = [];
  trace.version.subscribe((version) => changes.push(version));
  trace.arrivals.subscribe((steps) => arrived.push(...steps.map(({ id }) => id)));
  const say = (id: number) => fake.say(JSON.stringify({ step: step(id, { cause: 1 }) }) + "\n");
  say(1);
  say(1); // held already
  vi.advanceTimersByTime(0);
  expect(changes).toEqual([1]);
  const before = trace.tree(1);
  expect(trace.tree(1)).toBe(before);
  for (let id = 2; id < 50; id++) say(id);
  expect(arrived).toHaveLength(49);
  // Whoever asks meanwhile sees what the others see.
  expect(trace.tree(1)).toBe(before);
  vi.advanceTimersByTime(100);
  expect(changes).toEqual([1, 2]);
  expect(trace.tree(1)).toHaveLength(49);
  trace.dispose();
  vi.useRealTimers();
});
