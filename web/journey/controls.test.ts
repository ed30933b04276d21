import { expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { counted, isSame, onward, shortly, since, toldSoFar, undrawn, where } from "./controls.ts";
import { counting } from "./moving.ts";

const command = (id: number, line: string): TraceStep => ({
  id,
  at: id,
  component: "kubectl",
  kind: "kubectl.command",
  chapter: "kubectl",
  details: { line },
});

test("how many steps there are, and how many of them are told slowly", () => {
  expect(counted(658, 47)).toBe("658 steps so far, 47 of them told slowly");
  // Very many are told slowly when that is asked for, and every step counts as it is.
  expect(counted(5000, 5000)).toBe("5000 steps so far");
  expect(counted(1, 1)).toBe("1 step so far");
  // As it happens the guide says how many there are: two that are drawn at two times would not agree.
  expect(toldSoFar(47)).toBe("47 steps to tell slowly so far");
});

test("what was not drawn is counted by what it was, with the first of it", () => {
  const none = { requests: 0, events: 0, others: 0, first: undefined };
  const kinds = ["cri.PullImage", "apiserver.request", "etcd.watched", "apiserver.request"];
  const steps = kinds.map((kind, id) => ({ ...command(id + 1, ""), kind }));
  const all = steps.reduce(counting, none);
  expect(all).toEqual({ requests: 2, events: 1, others: 1, first: steps[0] });
  const begins = "Not drawn:";
  expect(undrawn(all)).toBe(`${begins} 2 requests, 1 watch event, 1 other`);
  expect(undrawn({ ...none, requests: 12 })).toBe(`${begins} 12 requests`);
  expect(undrawn({ ...none, others: 1 })).toBe(`${begins} 1 step`);
  expect(undrawn(none)).toBe("");
});

test("where it is says the chapter that is read, and whose a step is that is told meanwhile", () => {
  const plays = { waits: "", playing: true } as const;
  expect(where(plays, "kubelet", "", false)).toBe("Now: kubelet.");
  const meanwhile = "In the guide: kubelet. Meanwhile: Scheduler.";
  expect(where(plays, "kubelet", meanwhile, false)).toBe(meanwhile);
  expect(where(plays, "", meanwhile, false)).toBe("");
  const waits = { waits: "chapter", playing: false } as const;
  expect(where(waits, "etcd", "Now: Admission.", false)).toBe("Now: etcd. Read, then go on.");
});

test("what was typed since the command that is told is said, and no longer than it has room", () => {
  const [first, second, third] = [1, 5, 9].map((id) => command(id, "kubectl get pods"));
  expect(since(first, { command: first, later: third })).toBe(third);
  expect(since(first, { command: first, later: undefined })).toBeUndefined();
  // The guide may be at what was typed since, which is later all the same.
  expect(since(first, { command: second, later: undefined })).toBe(second);
  expect(since(third, { command: second, later: third })).toBeUndefined();
  expect(since(undefined, { command: first, later: first })).toBeUndefined();
  expect(shortly(command(1, "kubectl scale deployment nginx"))).toBe(
    "kubectl scale deployment nginx",
  );
  const long = shortly(command(1, "kubectl create configmap ".padEnd(120, "x")));
  expect([long.length, long.endsWith("x…")]).toEqual([40, true]);
});

test("the guide's line says the step to who goes step by step, and what it waits for where it waits", () => {
  const pause = () => undefined;
  const of = (waits: "" | "chapter", playing: boolean, ended = false) =>
    onward({ waits, playing, pause, begin: pause, goOn: pause }, "put nginx", "etcd", ended, steps)
      .said;
  const steps = { back: undefined, on: () => undefined };
  expect(of("", true)).toBe("put nginx");
  expect(of("", false)).toBe("put nginx");
  expect(of("chapter", false)).toBe("Now: etcd. Read, then go on.");
  expect(of("", false, true)).toBe("This was the last step.");
});

test("the guide's line is drawn anew when another step can be gone to, or none", () => {
  const line = { said: "a", word: "Play", playing: false, press: () => undefined };
  const [back, on] = [() => undefined, () => undefined];
  expect(isSame({ ...line, back, on }, { ...line, back: () => undefined, on })).toBe(true);
  expect(isSame({ ...line, back, on }, { ...line, back: undefined, on })).toBe(false);
  expect(isSame({ ...line, back, on }, { ...line, back, on: undefined })).toBe(false);
  expect(isSame({ ...line, back, on }, { ...line, said: "b", back, on })).toBe(false);
  expect(isSame(undefined, undefined)).toBe(true);
});
