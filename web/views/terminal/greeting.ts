import { rows } from "../../term/fold.ts";

/** What to type first, as two lines of the shell's. */
const COMMAND = ["kubectl create deployment nginx", "--image=nginx --replicas=3"] as const;

/** Columns from which the terminal is not the only thing in sight. */
const ALONE = 70;

/**
 * What a newcomer has to know. Where the terminal stands alone, on a phone, also what to type first: all of it in sight,
 * and one command to whoever copies it. On a wide screen the journey beside it says that.
 */
export function greeting(cols: number): string {
  const words = "k is kubectl, Tab completes, Ctrl-R searches, vi edits files.";
  const hint = rows(words, cols).join("\r\n");
  const line = COMMAND.join(" ");
  const command = line.length <= cols ? line : COMMAND.join(" \\\r\n  ");
  const first = cols < ALONE ? `Try:\r\n\x1b[1m${command}\x1b[0m\r\n` : "";
  return `Kubernetes in this tab. ${first || "\r\n"}\x1b[90m${hint}\x1b[0m\r\n\r\n`;
}
