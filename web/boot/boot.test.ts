import { expect, test } from "vitest";
import type { Fault } from "../rpc/protocol.ts";
import { initialBoot, readyAfter, reduceBoot, STEPS, type BootAction } from "./boot.ts";

const run = (...actions: BootAction[]) => actions.reduce(reduceBoot, initialBoot);
const done = (step: (typeof STEPS)[number], at: number): BootAction => ({
  type: "boot",
  step,
  state: "done",
  at,
});

test("bytes are kept from report to report, times from first to last", () => {
  const state = run(
    { type: "boot", step: "download", state: "started", at: 5 },
    {
      type: "boot",
      step: "download",
      state: "progress",
      at: 9,
      loaded: 1,
      total: 2,
      detail: "slow",
    },
    done("download", 20),
  );
  expect(state.steps.download).toEqual({
    state: "done",
    startedAt: 5,
    endedAt: 20,
    loaded: 1,
    total: 2,
  });
});

test("ready once every step is done, in whatever order they end", () => {
  const all = [...STEPS].reverse().map((step, i) => done(step, 100 * (i + 1)));
  expect(run(...all.slice(1)).ready).toBe(false);
  expect(run(...all).ready).toBe(true);
  expect(readyAfter(run(...all))).toBe(700);
  expect(readyAfter(initialBoot)).toBeUndefined();
});

test("a late report of a step that is done changes nothing", () => {
  const state = run(done("store", 10));
  const late: BootAction = { type: "boot", step: "store", state: "progress", at: 30 };
  expect(reduceBoot(state, late)).toBe(state);
});

test("a fault marks what was under way, and the first fault stays", () => {
  const fault = (component: string): Fault => ({
    type: "fault",
    component,
    message: "m",
    hint: "h",
  });
  const state = run(
    done("download", 1),
    { type: "boot", step: "compile", state: "started", at: 2 },
    fault("compile"),
    fault("worker"),
  );
  expect(state.steps.download.state).toBe("done");
  expect(state.steps.compile.state).toBe("failed");
  expect(state.fault?.component).toBe("compile");
});

test("between two steps the next one is active, from the end of the one before", () => {
  let state = initialBoot;
  for (const action of [
    { type: "boot", step: "download", state: "started", at: 1 },
    { type: "boot", step: "download", state: "done", at: 5 },
    { type: "boot", step: "compile", state: "started", at: 5 },
    { type: "boot", step: "compile", state: "done", at: 9 },
  ] as const) {
    state = reduceBoot(state, action);
  }
  expect(state.steps.store).toEqual({ state: "running", startedAt: 9 });
  expect(state.ready).toBe(false);
  state = reduceBoot(state, { type: "boot", step: "store", state: "started", at: 12 });
  expect(state.steps.store.startedAt).toBe(9);
});
