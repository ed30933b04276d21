/* Tutorials' lines, typed unchanged into the built page: those of core/cluster/testdata/tutorials. */
import { test } from "node:test";
import { screenshot } from "./browser.mjs";
import { readTable, runStep } from "./table.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");
const FOLDER = "core/cluster/testdata/tutorials";

for (const name of ["basics", "guestbook"]) {
  test(name, async (t) => {
    const page = await site.visit(t, "map");
    const execute = (line) =>
      page.evaluate((text) => {
        const signal = AbortSignal.timeout(120_000);
        return globalThis.tabernetes
          .shell(text, { session: "tutorial", signal })
          .catch((error) => ({ code: -1, stdout: "", stderr: `${error.name}: ${error.message}` }));
      }, line);
    for (const { name: part, steps } of readTable(`${FOLDER}/${name}.yaml`)) {
      await t.test(part, async () => {
        for (const step of steps) await runStep(step, execute);
      });
    }
    await screenshot(page, `tutorials-${name}-desktop`);
  });
}
