/*
 * The lines of the shared table, through `tabernetes.shell` of the built page; those that say longInPage in
 * the long lane only.
 */
import { test } from "node:test";
import { ready, screenshot } from "./browser.mjs";
import { readTable, runStep, TABLE } from "./table.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");

test(`${TABLE} in the page`, async (t) => {
  const page = await site.open(t);
  await ready(page);

  const execute = (line) =>
    page.evaluate((text) => {
      // A line that hangs must fail by itself, not the whole table by a time-out.
      const signal = AbortSignal.timeout(120_000);
      return globalThis.tabernetes
        .shell(text, { session: "table", signal })
        .catch((error) => ({ code: -1, stdout: "", stderr: `${error.name}: ${error.message}` }));
    }, line);
  for (const { name, steps, longInPage } of readTable()) {
    if (longInPage && !process.env.TABERNETES_LONG) continue;
    await t.test(name, async () => {
      for (const step of steps) await runStep(step, execute);
    });
  }
  await screenshot(page, "table-desktop");
});
