/* What the last command has set off: as a lesson shows it, and how it looks for steps in it. */
import { Trace, type TraceClient } from "../session/trace.ts";
import type { Disposable } from "../state/disposable.ts";
import type { TraceFeed } from "../trace/feed.ts";
import { firstLike } from "../trace/proof.ts";
import { caused, lastTelling } from "../trace/told.ts";
import { actorOf, sentence, took } from "../trace/words.ts";
import { tracedOf } from "./info.ts";

/** What a lesson reads of the trace. */
export type LessonTrace = Pick<TraceFeed, "steps" | "tree" | "kinds" | "version">;

/** Lines of a tree that are shown. */
const MOST_LINES = 300;
/** Milliseconds: nothing more has come for so long, or it has been coming for so long. */
const QUIET = 300;
const LONG = 3000;

/** Follows a cluster, from what it still holds, until disposed. */
export function followTrace(client: TraceClient): LessonTrace & Disposable {
  const trace = new Trace(client);
  trace.follow();
  return trace;
}

/** Why what a trace wants is not there; undefined if it is. Rejects where there is no such step at all. */
export async function lacking(trace: LessonTrace, text: string): Promise<string | undefined> {
  const wanted = tracedOf(text);
  const declared = new Set([...(await trace.kinds()).values()].map(({ name }) => name));
  const none = wanted.find(({ kind }) => !declared.has(kind));
  if (none) throw new Error(`No step of a trace is called "${none.kind}".`);
  const command = lastTelling(trace);
  if (!command) return "No command has been run yet.";
  const steps = caused(trace, command.id);
  const lacks = wanted.filter(({ kind, like }) => !firstLike(steps, kind, like));
  if (lacks.length === 0) return undefined;
  const names = lacks.map(({ kind, like }) => [kind, like].filter(Boolean).join(" "));
  return `The last command has set off no ${names.join(", no ")}.`;
}

/** What the last command has set off, each step below the one that caused it. */
export function drawTree(trace: LessonTrace): string {
  const command = lastTelling(trace);
  if (!command) return "No command has been run yet.\n";
  const tree = trace.tree(command.id);
  const lines = tree.slice(0, MOST_LINES).map(({ step, depth }) => {
    const lasted = step.took === undefined ? "" : ` · ${took(step.took)}`;
    return `${"  ".repeat(Math.min(depth, 20))}${actorOf(step)}: ${sentence(step)}${lasted}`;
  });
  const more = tree.length - lines.length;
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : []), ""].join("\n");
}

/** Resolves when what the cluster holds has come. */
export function arrived({ version }: LessonTrace, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      subscription.dispose();
      clearTimeout(quiet);
      clearTimeout(long);
      signal.removeEventListener("abort", abort);
      resolve();
    };
    const abort = () => {
      end();
      reject(signal.reason as Error);
    };
    let quiet = setTimeout(end, QUIET);
    const long = setTimeout(end, LONG);
    const subscription = version.subscribe(() => {
      clearTimeout(quiet);
      quiet = setTimeout(end, QUIET);
    });
    signal.addEventListener("abort", abort);
  });
}
