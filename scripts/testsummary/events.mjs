/*
 * What became of tests that are not Go's, in the form of `go test -json`, so that one summary has all of a run: which
 * failed, which passed in a second run only, which were skipped, and why. What passes at once is not written.
 */
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { basename } from "node:path";

/** Begins the events of a stage of scripts/test. `file` is a test's, `title` the test's own. */
export function eventsOf(stage) {
  mkdirSync("out/test/events", { recursive: true });
  const to = `out/test/events/${stage}.json`;
  rmSync(to, { force: true });
  const write = (event) => appendFileSync(to, `${JSON.stringify(event)}\n`);
  const told = (action) => (file, title, words) => {
    const about = { Package: file, Test: title };
    const lines = words.trim().split("\n");
    write({ Action: "run", ...about });
    for (const [i, line] of lines.entries()) {
      // As testing.T.Log has it: a place, and what goes on is indented further.
      const Output = i === 0 ? `    ${basename(file)}:1: ${line}\n` : `        ${line}\n`;
      write({ Action: "output", ...about, Output });
    }
    write({ Action: action, ...about });
  };
  return {
    failed: told("fail"),
    skipped: told("skip"),
    /** What failed before has passed now. */
    passed: (file, title) => write({ Action: "pass", Package: file, Test: title }),
  };
}
