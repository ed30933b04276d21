/* Does what a part of a lesson says, in the reader's cluster, as nodehost/lesson/check does natively. */
import type { CommandResult, Tabernetes } from "../cluster/api.ts";
import { sh } from "../kube/shell-line.ts";
import { waitFor } from "./block.ts";
import type { Block, Part } from "./lesson.ts";
import type { LessonTrace } from "./trace.ts";

/** What a lesson does with a cluster. */
type LessonCluster = Pick<Tabernetes, "kubectl" | "shell" | "close">;

/** A terminal that shows the lesson's shell. */
export interface LessonTerminal {
  /** Something runs in it. */
  readonly busy: boolean;
  /** Types lines, runs them and gives the exit code. */
  execute(lines: string, signal: AbortSignal): Promise<number>;
}

export interface DoOptions {
  cluster: LessonCluster;
  /** The shell of the lesson's blocks: what one sets is there in the next one. */
  session: string;
  /** The shell of its checks. */
  checks: string;
  /** Shows the lesson's shell; what the reader runs is typed there. */
  terminal?: LessonTerminal;
  /** What the cluster does, step by step; undefined where nobody can follow it. */
  trace?: () => Promise<LessonTrace>;
  signal: AbortSignal;
  /** Told what is printed, as it comes. */
  output?: (text: string) => void;
  /** Told that it now waits for an object. */
  waits?: (object: string) => void;
  /** Told why a check has not passed yet, each time that it is tried again. */
  notYet?: (why: string) => void;
}

/** Seconds that a part may take if it does not say: DefaultTimeout in nodehost/lesson/lesson.go. */
export const PATIENCE = 120;
const AGAIN = 500;

/** Does a part that the reader has asked for. Rejects with what is not as the lesson says. */
export async function doPart(part: Part, options: DoOptions): Promise<void> {
  const { cluster, session, checks, terminal, signal, output } = options;
  const common = { signal, ...(output ? { output } : {}) };
  switch (part.kind) {
    case "question":
    case "hint":
      return;
    case "check":
    case "cel":
    case "trace":
      return check(part, options);
    case "apply": {
      const applied = await cluster.kubectl(["apply", "-f", "-"], {
        ...common,
        session: checks,
        stdin: part.text,
      });
      if (applied.code !== 0) throw new Error(`It was not applied: ${said(applied)}`);
      break;
    }
    case "run":
    case "solution": {
      const code = terminal
        ? await terminal.execute(part.text, signal)
        : (await cluster.shell(part.text, { ...common, session })).code;
      const wanted = part.exit ?? 0;
      if (wanted !== -1 && code !== wanted) {
        throw new Error(
          wanted === 0
            ? `It ended with exit code ${code}.`
            : `It ended with exit code ${code}; the lesson expects ${wanted}.`,
        );
      }
    }
  }
  if (part.until) await until(part, part.timeout ?? PATIENCE, options);
}

/**
 * Does blocks one after the other, without what is only asked: in the lesson's shell, and nothing of it is
 * typed into a terminal.
 */
export async function doAll(
  blocks: readonly Block[],
  { terminal, ...options }: DoOptions,
): Promise<void> {
  for (const block of blocks) {
    if (block.type !== "part" || ["check", "cel", "trace", "question", "hint"].includes(block.kind))
      continue;
    // A shell runs one line at a time: it would wait, and nobody could tell what for.
    if (terminal?.busy && block.kind !== "apply") {
      throw new Error(
        "Something runs in the terminal, whose shell this needs. End it there first, with Ctrl-C if need be.",
      );
    }
    await doPart(block, options);
  }
}

/** Waits for what a step's preparation has waited for: what has come back begins anew. */
export async function awaitPrepared(parts: readonly Part[], options: DoOptions): Promise<void> {
  for (const part of parts) if (part.prepare) await until(part, part.timeout ?? PATIENCE, options);
}

async function until(
  { until: condition }: Part,
  seconds: number,
  { cluster, checks: session, signal, waits }: DoOptions,
): Promise<void> {
  if (!condition) return;
  waits?.(condition.ref);
  const { ref: object, reached, namespace } = condition;
  const waited = await cluster.kubectl(waitFor({ object, reached, namespace }, seconds), {
    session,
    signal,
  });
  if (waited.code !== 0) throw new Error(`${object} is not as it should be: ${said(waited)}`);
}

/** Tries a check until it passes or its time is over. */
async function check(part: Part, options: DoOptions): Promise<void> {
  const seconds = part.timeout ?? PATIENCE;
  if (part.until) return until(part, seconds, options);
  if (part.kind === "trace" && part.text === "") return look(options);
  const { signal, notYet } = options;
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const why = await fault(part, options);
    const over = why === undefined || performance.now() > end;
    if (over && part.kind === "trace") await look(options);
    if (why === undefined) return;
    if (over) throw new Error(why);
    notYet?.(why);
    await pause(AGAIN, signal);
  }
}

/** Why a check does not pass; undefined if it does. */
async function fault(part: Part, options: DoOptions): Promise<string | undefined> {
  switch (part.kind) {
    case "cel":
      return expression(part, options);
    case "trace": {
      const { lacking } = await import("./trace.ts");
      return lacking(await traceOf(options), part.text);
    }
    default:
      return lines(part, options);
  }
}

/** Prints what the last command has set off. */
async function look(options: DoOptions): Promise<void> {
  const { arrived, drawTree } = await import("./trace.ts");
  const trace = await traceOf(options);
  await arrived(trace, options.signal);
  options.output?.(drawTree(trace));
}

function traceOf({ trace }: DoOptions): Promise<LessonTrace> {
  if (!trace) throw new Error("Nobody can follow what this cluster does.");
  return trace();
}

async function lines(
  { text }: Part,
  { cluster, checks: session, signal }: DoOptions,
): Promise<string | undefined> {
  const checked = await cluster.shell(text, { session, signal });
  return checked.code === 0 ? undefined : `It is not so yet: ${said(checked)}`;
}

async function expression(
  { text, object }: Part,
  { cluster, checks: session, signal }: DoOptions,
): Promise<string | undefined> {
  if (!object) return "It names no object.";
  const more = object.namespace === undefined ? [] : ["-n", object.namespace];
  const common = { session, signal };
  const got = await cluster.kubectl(["get", object.ref, ...more, "-o", "json"], common);
  if (got.code !== 0) return said(got);
  const value = await cluster.shell(sh`cel ${text}`, { ...common, stdin: got.stdout });
  if (value.code === 0) return undefined;
  return value.code === 1 ? `${object.ref} is not so yet.` : said(value);
}

/** The end of what a command says went wrong. */
function said({ code, stdout, stderr }: CommandResult): string {
  const words = stderr.trim() || stdout.trim();
  return words === "" ? `exit code ${code}` : words.slice(-2000);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, ms);
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
