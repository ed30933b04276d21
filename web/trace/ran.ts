import type { TraceStep } from "../rpc/protocol.ts";
import type { Ran } from "../term/ran.ts";
import { sentence, textOf } from "./words.ts";

/** Milliseconds that the page's clock and the cluster's may seem apart. */
const APART = 25;

/**
 * Which of the commands that the trace tells of were run by a line of the terminal: those of its shell
 * that began while it ran, and whose verb is in it, since the shell's jobs run commands as well.
 */
export function commandsOf(
  { line, session, began, ended }: Pick<Ran, "line" | "session" | "began" | "ended">,
  commands: readonly TraceStep[],
): TraceStep[] {
  const typed = words(line);
  // What a file of the shell runs is nowhere in the line.
  const named = typed.some((word) => word === "kubectl" || word === "k");
  return commands.filter(
    (command) =>
      textOf(command.details, "session") === session &&
      command.at >= began - APART &&
      command.at <= (ended ?? Infinity) + APART &&
      (!named || typed.includes(words(sentence(command))[1] ?? "")),
  );
}

function words(line: string): string[] {
  return line.split(/[\s;|&()]+/).filter(Boolean);
}
