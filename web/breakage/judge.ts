import type { Step } from "./table.ts";

/** What a line printed, and how it ended. */
export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Whether a result is what a step expects, as core/cluster's tables judge it. */
export function passes(step: Step, { code, stdout, stderr }: Result): boolean {
  const { code: wanted = 0, match = [], absent = [], stderr: errors = [] } = step;
  const has = (text: string) => (expression: string) => new RegExp(expression, "m").test(text);
  return (
    (wanted === "any" || code === wanted) &&
    (step.stdout === undefined || stdout === step.stdout) &&
    match.every(has(stdout)) &&
    !absent.some(has(stdout)) &&
    errors.every(has(stderr))
  );
}
