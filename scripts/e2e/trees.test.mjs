/* Every tree of the shared table, as `tabernetes.trace` of the built page tells it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ready } from "./browser.mjs";
import { draw, missing, readTrees, TREES } from "./trees.mjs";
import { over } from "./visits.mjs";

/** How long a tree may take to grow, in milliseconds. */
const PATIENCE = 60_000;

const site = over("out/site");

test(`${TREES} in the page`, async (t) => {
  const page = await site.open(t);
  await ready(page);

  const shell = (line) =>
    page.evaluate((text) => globalThis.tabernetes.shell(text, { session: "trees" }), line);
  const trace = () => page.evaluate(() => globalThis.tabernetes.trace());
  for (const row of readTrees()) {
    await t.test(row.name, async () => {
      const before = Math.max(0, ...(await trace()).steps.map((step) => step.id));
      await shell(row.run);
      const end = Date.now() + PATIENCE;
      for (;;) {
        const { steps } = await trace();
        const root = steps.find((step) => step.kind === "kubectl.command" && step.id > before);
        const problem = root
          ? missing(row, steps, root) || missing({ ...row, steps: row.tab ?? [] }, steps, root)
          : "the command was not told";
        if (problem === "") break;
        assert.ok(Date.now() < end, `$ ${row.run}\n${problem}\n${root ? draw(steps, root) : ""}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      await shell(row.after);
    });
  }

  await t.test("each kind of step leads to a line of upstream's source", async () => {
    const { source } = await trace();
    const without = source.kinds.filter((kind) => kind.package.startsWith("k8s.io/") && !kind.url);
    assert.deepEqual(without, []);
    assert.match(
      source.kinds[0].url,
      /^https:\/\/github\.com\/kubernetes\/kubernetes\/blob\/v1\.36\.3\//,
    );
  });
});
