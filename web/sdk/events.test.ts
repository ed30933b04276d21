import { expect, test, vi } from "vitest";
import { initialBoot, reduceBoot, STEPS, type BootAction, type BootState } from "../boot/boot.ts";
import type { Slept } from "../rpc/protocol.ts";
import { Store } from "../state/store.ts";
import { Events } from "./events.ts";

function cluster() {
  return {
    boot: new Store<BootState, BootAction>(reduceBoot, initialBoot),
    slept: new Store<Slept | undefined, Slept>((_old, next) => next, undefined),
  };
}
const done = (of: ReturnType<typeof cluster>) => {
  for (const step of STEPS) of.boot.dispatch({ type: "boot", step, state: "done", at: 1 });
};
const fault = { type: "fault", component: "c", message: "m", hint: "h" } as const;

test("each event comes once, to whoever listens then", () => {
  const of = cluster();
  const events = new Events(of);
  const heard: string[] = [];
  events.on("boot", ({ store }) => {
    if (store.state !== "done") heard.push("boot");
  });
  events.on("ready", () => void heard.push("ready"));
  const slept = events.on("slept", ({ milliseconds }) => void heard.push(`slept ${milliseconds}`));
  done(of);
  of.slept.dispatch({ type: "slept", at: 1, milliseconds: 7 });
  slept.dispose();
  of.slept.dispatch({ type: "slept", at: 2, milliseconds: 8 });
  events.on("fault", ({ message }) => void heard.push(message));
  of.boot.dispatch(fault);
  of.boot.dispatch({ ...fault, message: "what followed" });
  expect(heard).toEqual(["boot", "boot", "ready", "slept 7", "m"]);
});

test("a listener that throws takes nothing from the others, nor one that goes meanwhile", () => {
  const report = vi.fn();
  vi.stubGlobal("reportError", report);
  const of = cluster();
  const events = new Events(of);
  const heard = vi.fn();
  events.on("ready", () => {
    throw new Error("theirs");
  });
  const twice = events.on("ready", heard);
  events.on("ready", heard);
  events.on("ready", () => twice.dispose());
  done(of);
  expect(heard).toHaveBeenCalledTimes(2);
  expect(report).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});

test("nothing is told after the end", () => {
  const of = cluster();
  const events = new Events(of);
  const heard = vi.fn();
  events.on("fault", heard);
  events.dispose();
  of.boot.dispatch(fault);
  expect(heard).not.toHaveBeenCalled();
});
