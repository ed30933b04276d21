import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import type { TraceKind, TraceStep } from "../rpc/protocol.ts";
import { Store } from "../state/store.ts";
import type { Part } from "./lesson.ts";
import { doAll, doPart, PATIENCE, type DoOptions, type LessonTerminal } from "./run.ts";

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

test("a check may take what it may take where an author checks it, and says meanwhile why it has not passed", async () => {
  const there = readFileSync("nodehost/lesson/lesson.go", "utf8");
  expect(there).toMatch(new RegExp(`DefaultTimeout = ${PATIENCE} \\* time\\.Second`));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const { options } = setUp();
    const before = performance.now();
    options.cluster.shell = () => {
      const seconds = (performance.now() - before) / 1000;
      return Promise.resolve({
        code: seconds < PATIENCE - 1 ? 1 : 0,
        stdout: "",
        stderr: "no pod",
      });
    };
    const why: string[] = [];
    const checked = doPart(part("check", "true"), { ...options, notYet: (said) => why.push(said) });
    await vi.runAllTimersAsync();
    await checked;
    expect(performance.now() - before).toBeGreaterThan((PATIENCE - 2) * 1000);
    expect(new Set(why)).toEqual(new Set(["It is not so yet: no pod"]));

    options.cluster.shell = () => Promise.resolve({ code: 1, stdout: "", stderr: "no pod" });
    const failed = expect(doPart(part("check", "true"), options)).rejects.toThrow("no pod");
    await vi.runAllTimersAsync();
    await failed;
    const said = vi.fn<(line: readonly string[]) => void>();
    options.cluster.kubectl = (line) => {
      said([line].flat());
      return Promise.resolve({ code: 0, stdout: "", stderr: "" });
    };
    const until = { ref: "pod/web", reached: "condition=Ready" };
    await doPart(part("check", "", { until }), options);
    expect(said.mock.calls[0]?.[0]).toContain(`--timeout=${PATIENCE}s`);
  } finally {
    vi.useRealTimers();
  }
});

test("a trace is looked for in what the last command that wrote has set off", async () => {
  const step = (id: number, kind: string, more: Partial<TraceStep> = {}): TraceStep => ({
    ...{ id, kind, at: id, component: "c", chapter: "etcd" },
    ...more,
  });
  const of = (resource: string) => ({ resource, name: "n" });
  const all = [
    step(1, "kubectl.command"),
    step(2, "etcd.put", { cause: 1, object: of("pods") }),
    step(3, "scheduler.bind", { cause: 2, object: { ...of("pods"), subresource: "binding" } }),
    step(4, "kubectl.command"),
  ];
  const steps = new Map(all.map((one) => [one.id, one]));
  const under = (id: number, depth = 0): { step: TraceStep; depth: number }[] =>
    all.flatMap((one) => {
      if (one.id === id) return [{ step: one, depth }];
      return one.cause === id ? under(one.id, depth + 1) : [];
    });
  const kinds = new Map(all.map(({ kind }) => [kind, { name: kind } as TraceKind]));
  const trace = {
    steps,
    tree: (id: number) => under(id),
    kinds: () => Promise.resolve(kinds),
    version: new Store<number, "changed">((old) => old + 1, 0),
  };
  const printed: string[] = [];
  const { options } = setUp();
  const on: DoOptions = {
    ...options,
    trace: () => Promise.resolve(trace),
    output: (text) => printed.push(text),
  };
  await doPart(part("trace", "etcd.put pods\n  scheduler.bind  binding"), on);
  expect(printed[0]).toMatch(/^c: command\n {2}c: .*\n {4}c: /);
  await expect(
    doPart(part("trace", "etcd.put secrets\nscheduler.bind", { timeout: -1 }), on),
  ).rejects.toThrow("The last command has set off no etcd.put secrets.");
  await expect(doPart(part("trace", "etcd.putt"), on)).rejects.toThrow('called "etcd.putt"');
  await doPart(part("trace", ""), on);
  expect(printed).toHaveLength(3);
  await expect(doPart(part("trace", ""), options)).rejects.toThrow("Nobody can follow");
});
