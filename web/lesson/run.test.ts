import { expect, test } from "vitest";
import type { Part } from "./lesson.ts";
import { doAll, doPart, type DoOptions, type LessonTerminal } from "./run.ts";

/** A cluster that keeps what it was asked, and a terminal that may show the lesson's shell. */
function setUp(terminal?: Partial<LessonTerminal> & { code?: number }) {
  const asked: string[] = [];
  const answer = (what: string) => {
    asked.push(what);
    return Promise.resolve({ code: 0, stdout: "", stderr: "" });
  };
  const options: DoOptions = {
    cluster: {
      shell: (line, on) => answer(`${on?.session}: ${line}`),
      kubectl: (line, on) => answer(`${on?.session}: kubectl ${[line].flat().join(" ")}`),
      close: () => Promise.resolve(),
    },
    session: "mine",
    checks: "checks",
    signal: new AbortController().signal,
  };
  if (terminal) {
    options.terminal = {
      busy: false,
      execute: (lines) => {
        asked.push(`terminal: ${lines}`);
        return Promise.resolve(terminal.code ?? 0);
      },
      ...terminal,
    };
  }
  return { options, asked };
}

const part = (kind: Part["kind"], text: string, more: Partial<Part> = {}): Part => ({
  type: "part",
  kind,
  text,
  ...more,
});

test("what the reader runs is typed into the terminal that shows the lesson's shell", async () => {
  const { options, asked } = setUp({});
  await doPart(part("run", "ls"), options);
  await doPart(part("solution", "pwd"), options);
  await doPart(part("check", "true"), options);
  await doPart(part("apply", "kind: Pod"), options);
  expect(asked).toEqual([
    "terminal: ls",
    "terminal: pwd",
    "checks: true",
    "checks: kubectl apply -f -",
  ]);
});

test("without one it runs in the lesson's shell", async () => {
  const { options, asked } = setUp();
  await doPart(part("run", "ls"), options);
  expect(asked).toEqual(["mine: ls"]);
});

test("how it ends in the terminal counts", async () => {
  const { options } = setUp({ code: 3 });
  await expect(doPart(part("run", "false"), options)).rejects.toThrow("exit code 3");
  await doPart(part("run", "false", { exit: 3 }), options);
});

test("what prepares a step is never typed, and waits for nobody's command", async () => {
  const { options, asked } = setUp({});
  const blocks = [part("run", "x=1", { prepare: true, hidden: true }), part("question", "?")];
  await doAll(blocks, options);
  expect(asked).toEqual(["mine: x=1"]);
  const busy = setUp({ busy: true });
  await expect(doAll(blocks, busy.options)).rejects.toThrow("Something runs in the terminal");
  expect(busy.asked).toEqual([]);
});
