/* Tutorials' lines, typed unchanged into the built page: those of core/cluster/testdata/tutorials. */
import { readdirSync } from "node:fs";
import { after, test } from "node:test";
import { DESKTOP, screenshot } from "./browser.mjs";
import { internet } from "./internet.mjs";
import { readTable, runStep } from "./table.mjs";
import { over } from "./visits.mjs";

const FOLDER = "core/cluster/testdata/tutorials";

/** Those with a browser's own part in them: what is read by fetch, and what a node, a claim and an address give. */
const SHORT = ["basics", "guestbook", "ingress"];
const names = process.env.TABERNETES_LONG
  ? readdirSync(FOLDER)
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => name.replace(".yaml", ""))
  : SHORT;

const net = internet();
const site = over(
  "out/site",
  net.then(({ args }) => args),
);
after(async () => (await net).close());

// One tab for all: each leaves the cluster as it found it.
test("tutorials", async (t) => {
  const page = await site.visit(t, "map", { ...DESKTOP, ignoreHTTPSErrors: true });
  const execute = (line) =>
    page.evaluate((text) => {
      const signal = AbortSignal.timeout(120_000);
      return globalThis.tabernetes
        .shell(text, { session: "tutorial", signal })
        .catch((error) => ({ code: -1, stdout: "", stderr: `${error.name}: ${error.message}` }));
    }, line);
  for (const name of names) {
    for (const { name: part, steps, longInPage } of readTable(`${FOLDER}/${name}.yaml`)) {
      if (longInPage && !process.env.TABERNETES_LONG) continue;
      await t.test(part, async () => {
        for (const step of steps) await runStep(step, execute);
      });
    }
    await screenshot(page, `tutorials-${name}-desktop`);
  }
});
