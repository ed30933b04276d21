/* Every line of the shared table, through `tabernetes.shell` of the built page. */
import { test } from "node:test";
import { launch, open, ready, screenshot } from "./browser.mjs";
import { serve } from "./site.mjs";
import { readTable, runStep, TABLE } from "./table.mjs";

test(`${TABLE} in the page`, async (t) => {
  const site = await serve("out/site");
  t.after(() => site.close());
  const browser = await launch();
  t.after(() => browser.close());
  const page = await open(t, browser, site.url);
  await ready(page);

  const execute = (line) =>
    page.evaluate((text) => {
      // A line that hangs must fail by itself, not the whole table by a time-out.
      const signal = AbortSignal.timeout(120_000);
      return globalThis.tabernetes
        .shell(text, { session: "table", signal })
        .catch((error) => ({ code: -1, stdout: "", stderr: `${error.name}: ${error.message}` }));
    }, line);
  for (const { name, steps } of readTable()) {
    await t.test(name, async () => {
      for (const step of steps) await runStep(step, execute);
    });
  }
  await screenshot(page, "table-desktop");
});
