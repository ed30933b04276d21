/* Every tree of the shared table, as `tabernetes.trace` of the built page tells it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ready } from "./browser.mjs";
import { draw, missing, readTrees, TREES } from "./trees.mjs";
import { over } from "./visits.mjs";

/** How long a tree may take to grow, in milliseconds. */
const PATIENCE = 60_000;

/** The words and titles within elements of these names, their shadow roots included. */
function wordsOf(names) {
  const said = [];
  const walk = (node, inside) => {
    const within = inside || names.includes(node.nodeName);
    if (within && node.nodeType === 3) said.push(node.data);
    if (within && node.nodeType === 1) {
      for (const { value } of node.attributes) said.push(value);
    }
    if (node.shadowRoot) walk(node.shadowRoot, within);
    for (const child of node.childNodes) walk(child, within);
  };
  walk(document.body, false);
  return said.join("\n");
}

const site = over("out/site");

test(`${TREES} in the page`, async (t) => {
  const page = await site.open(t);
  await ready(page);

  const shell = (line) =>
    page.evaluate((text) => globalThis.tabernetes.shell(text, { session: "trees" }), line);
  // As text: Playwright takes a second to hand thousands of steps over as objects.
  const trace = async () =>
    JSON.parse(
      await page.evaluate(async () => JSON.stringify(await globalThis.tabernetes.trace())),
    );
  for (const row of readTrees()) {
    await t.test(row.name, async () => {
      if (row.before) await shell(row.before);
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

  await t.test(
    "no secret is in the steps, in the export, or in what the page says of them",
    async () => {
      const canary = "CANARY7d41";
      // The trace's view is open meanwhile: differences are kept for who looks.
      await page.evaluate(() => (globalThis.location.hash = "#/trace"));
      await page.locator("tn-trace [role=treeitem]").first().waitFor();
      const before = Math.max(0, ...(await trace()).steps.map((step) => step.id));
      const lines = readFileSync("core/cluster/testdata/secrets.txt", "utf8").trim().split("\n");
      for (const line of lines) await shell(line.replaceAll("CANARY", canary));
      const { steps } = await trace();
      const told = steps.filter(({ id }) => id > before);
      const kinds = new Set(told.map(({ kind }) => kind));
      // Steps that a native cluster does not tell of are among them.
      for (const kind of ["registry.stored", "controllers.reconcile", "controllers.read"]) {
        assert.ok(kinds.has(kind), `${kind} is not among ${[...kinds].join(" ")}`);
      }
      assert.ok(
        told.some((step) => JSON.stringify(step).includes('"changed"')),
        "no difference was kept",
      );
      assert.deepEqual(
        steps.filter((step) => JSON.stringify(step).includes(canary)),
        [],
      );
      const views = ["trace", "journey", "guide"];
      for (const view of views) {
        await page.evaluate((name) => (globalThis.location.hash = `#/${name}`), view);
        await page.locator(`tn-${view}`).first().waitFor();
        const said = await page.evaluate(wordsOf, [
          "TN-TRACE",
          "TN-JOURNEY",
          "TN-GUIDE",
          "TN-HAPPENED",
          "TN-MARKS",
        ]);
        assert.ok(said.length > 100, "the page says nothing");
        assert.ok(
          !said.includes(canary),
          `${view}: ${said.slice(said.indexOf(canary) - 200).slice(0, 400)}`,
        );
      }
      await shell(
        "kubectl delete deployment/canary secret/canary secret/canary-applied secret/canary-raw configmap/canary pod/canary --now",
      );
    },
  );

  await t.test("each kind of step leads to a line of upstream's source", async () => {
    const { source } = await trace();
    const without = source.kinds.filter((kind) => kind.package.startsWith("k8s.io/") && !kind.url);
    assert.deepEqual(without, []);
    // One that is done elsewhere for another verb has a line of its own.
    const line = (of) =>
      source.kinds.find(({ name, variant }) => name === "etcd.put" && variant === of)?.url;
    assert.match(line("update") ?? "", /store\.go#L/);
    assert.notEqual(line("update"), line(undefined));
    assert.match(
      source.kinds[0].url,
      /^https:\/\/github\.com\/kubernetes\/kubernetes\/blob\/v1\.36\.3\//,
    );
  });
});
