/*
 * The table of kubectl lines (core/cluster/testdata/kubectl.yaml), read and judged as the native
 * test of core/cluster does it; its head says what the fields mean.
 */
import { readFileSync } from "node:fs";
import { parse } from "yaml";

export const TABLE = process.env.KUBECTL_TABLE ?? "core/cluster/testdata/kubectl.yaml";

const FIELDS = new Set(["run", "code", "stdout", "match", "absent", "stderr", "eventually"]);
const PATIENCE = 60_000;
const INTERVAL = 100;

export function readTable(path = TABLE) {
  const cases = parse(readFileSync(path, "utf8"));
  for (const { name, steps } of cases) {
    for (const step of steps) {
      const unknown = Object.keys(step).find((key) => !FIELDS.has(key));
      if (unknown) throw new Error(`${path}: ${name}: a step has the unknown field ${unknown}`);
    }
  }
  return cases;
}

/** Runs a step with `execute(line) → {code, stdout, stderr}`; throws what is wrong with it. */
export async function runStep(step, execute) {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const result = await execute(step.run);
    const wrong = judge(step, result);
    if (wrong.length === 0) return;
    if (!step.eventually || Date.now() > deadline) {
      throw new Error(
        `$ ${step.run.trim()}\n${wrong.join("\n")}\nexit code ${result.code}\n` +
          `stdout:\n${result.stdout}\nstderr:\n${result.stderr}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
}

/** What a result lacks of what the step expects, in words. */
export function judge(step, { code, stdout, stderr }) {
  const wrong = [];
  const want = step.code ?? 0;
  if (want !== "any" && code !== want) wrong.push(`exit code ${code}, want ${want}`);
  if (step.stdout !== undefined && stdout !== step.stdout) {
    wrong.push(`stdout is not exactly ${JSON.stringify(step.stdout)}`);
  }
  const check = (text, name, expressions = [], wanted) => {
    for (const expression of expressions) {
      if (new RegExp(expression, "m").test(text) !== wanted) {
        wrong.push(`${name} against ${expression}: want match ${wanted}`);
      }
    }
  };
  check(stdout, "stdout", step.match, true);
  check(stdout, "stdout", step.absent, false);
  check(stderr, "stderr", step.stderr, true);
  return wrong;
}
