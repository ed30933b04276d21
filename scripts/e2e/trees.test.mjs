/* Every tree of the shared table, as `tabernetes.trace` of the built page tells it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ready } from "./browser.mjs";
import { answered, until } from "./look.mjs";
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

/** Elements that say something of the trace. */
const VIEWS = ["TN-TRACE", "TN-JOURNEY", "TN-GUIDE", "TN-HAPPENED", "TN-MARKS"];

/**
 * Lines with secrets that are told slowly, by what is in them; the pod that they make with what is waited for of its
 * container, and what the object that grows shows: what is withheld is seen to have been there.
 */
const GROWING = [
  {
    line: '"name":"canary-pulled"',
    pod: "canary-pulled",
    until: (container) => container.ready,
    grows: [
      "pods default/canary-pulled",
      "note: (not kept)",
      "path: /?(not kept)",
      "value: (not kept)",
      "- (not kept)",
      "nodeName: node-",
    ],
  },
  {
    line: '"name":"canary-unstarted"',
    pod: "canary-unstarted",
    until: (container) => container.lastState.terminated,
    grows: ["pods default/canary-unstarted", "message: (not kept)"],
  },
  {
    line: "kubectl annotate deployment canary",
    grows: ["deployments default/canary", "note: (not kept)", "observedGeneration:"],
  },
  {
    line: "kubectl patch canary canary",
    grows: ["canaries default/canary", "clientSecret: (not kept)", "authToken: (not kept)"],
  },
];

/** How many steps of each are looked at, besides the first. */
const STEPS = 15;

/** The words of the object that grows, once they stay as they are. */
async function grown(page) {
  for (let last; ;) {
    await answered(page);
    const now = await page.evaluate(wordsOf, ["TN-GROWTH"]);
    if (now === last) return now;
    last = now;
  }
}

/** What is said of the only container of a pod. */
const stateOf = (page, pod) =>
  page.evaluate(async (name) => {
    const path = `/api/v1/namespaces/default/pods/${name}`;
    const { status } = await (await globalThis.tabernetes.fetch(path)).json();
    return status.containerStatuses?.[0];
  }, pod);

/** Has the last command told slowly, step by step, each looked at; what its object said on the way. `line` is its own. */
async function slowly(page, line, look) {
  const journey = page.locator("tn-journey");
  const press = (name) => journey.getByRole("button", { name }).click();
  await answered(page);
  // The page may hear of a command after the shell has answered: until then the one before is told.
  await until(
    page,
    (said) => said.trim() === line,
    async () => {
      if (await journey.getByRole("button", { name: "As it happens" }).count())
        await press("As it happens");
      await press("Slowly");
      await journey.getByRole("button", { name: "Go on" }).waitFor();
      return journey.locator(".said").first().innerText();
    },
  );
  const at = journey.getByRole("slider", { name: "Step of the command" });
  const last = Number(await at.getAttribute("max"));
  let shown = "";
  for (let i = 0; i <= STEPS; i++) {
    const step = Math.round((i * last) / STEPS);
    await at.fill(String(step));
    shown += await grown(page);
    await look(step + 1);
  }
  await journey.getByRole("button", { name: "As it happens" }).click();
  return shown;
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
      // As base64 has it, and how each token of the cluster's own begins.
      const secrets = [canary, "Q0FOQVJZ", "eyJhbGciOi"];
      const whole = (line) => line.replaceAll("CANARY", canary);
      for (const line of lines) {
        const said = await shell(whole(line));
        if (!line.startsWith("kubectl create token")) continue;
        assert.ok(said.stdout.startsWith(secrets[2]), `there is no token: ${JSON.stringify(said)}`);
        secrets.push(said.stdout.trim());
      }
      const found = (text) => secrets.find((secret) => text.includes(secret));
      const looked = async (where) => {
        const said = await page.evaluate(wordsOf, VIEWS);
        assert.ok(said.length > 100, "the page says nothing");
        const secret = found(said);
        if (!secret) return;
        assert.fail(`${where}: ${said.slice(said.indexOf(secret) - 200).slice(0, 400)}`);
      };
      const { steps } = await trace();
      const told = steps.filter(({ id }) => id > before);
      const kinds = new Set(told.map(({ kind }) => kind));
      // Steps that a native cluster does not tell of are among them.
      for (const kind of ["registry.stored", "controllers.reconcile", "controllers.read"]) {
        assert.ok(kinds.has(kind), `${kind} is not among ${[...kinds].join(" ")}`);
      }
      // A command in a container, a registry that is told who asks, a token's answer.
      for (const [kind, words] of [
        ["cri.ExecSync", '"cmd":["(not kept)'],
        ["cri.PullImage", '"password":"(not kept)"'],
        ["apiserver.request", '"subresource":"token"'],
      ]) {
        const tried = told.some((one) => one.kind === kind && JSON.stringify(one).includes(words));
        assert.ok(tried, `there is no ${kind} with ${words}: nothing was tried`);
      }
      assert.ok(
        told.some((step) => JSON.stringify(step).includes('"changed"')),
        "no difference was kept",
      );
      assert.deepEqual(
        steps.filter((step) => found(JSON.stringify(step))),
        [],
      );
      const views = ["trace", "journey", "guide"];
      for (const view of views) {
        await page.evaluate((name) => (globalThis.location.hash = `#/${name}`), view);
        await page.locator(`tn-${view}`).first().waitFor();
        await looked(view);
      }
      // Slowly, the object grows beside the drawing: as it was sent, and as it lies in the store.
      await page.evaluate(() => (globalThis.location.hash = "#/journey"));
      await shell("kubectl delete pod canary-pulled canary-unstarted --now");
      for (const { line, pod, until: is, grows } of GROWING) {
        // Another value, so that there is something to write.
        const run = whole(lines.find((one) => one.includes(line)));
        await shell(run.replaceAll(canary, `${canary}-slowly`));
        if (pod)
          await until(
            page,
            (container) => container && is(container),
            () => stateOf(page, pod),
          );
        const told = (await trace()).steps.findLast(({ kind }) => kind === "kubectl.command");
        const shown = await slowly(page, told.details.line, (step) =>
          looked(`journey, step ${step} of ${line}`),
        );
        for (const text of grows) assert.ok(shown.includes(text), `no ${text} in\n${shown}`);
      }
      await shell(
        "kubectl delete deployment/canary secret/canary secret/canary-applied secret/canary-raw secret/canary-registry configmap/canary pod/canary pod/canary-pulled pod/canary-unstarted pod/canary-unhooked crd/canaries.example.com --now",
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
