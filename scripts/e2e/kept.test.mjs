/* A cluster that is kept in the browser: it goes on after a reload, and after the tab was killed. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DESKTOP, launch, open, ready, screenshot } from "./browser.mjs";
import { serve } from "./site.mjs";

/** For what a busy machine takes its time for, in milliseconds. */
const PATIENCE = 90_000;

let browser;
let site;
before(async () => {
  browser = await launch();
  site = await serve("out/site");
});
after(async () => {
  await browser.close();
  await site.close();
});

/** Runs a line of the terminal and gives its output; a failure is an error. */
async function sh(page, line) {
  const { code, stdout, stderr } = await page.evaluate(
    (text) => globalThis.tabernetes.shell(text),
    line,
  );
  assert.equal(code, 0, `$ ${line}\n${stdout}${stderr}`);
  return stdout;
}

/** What must be the same afterwards. */
async function identity(page) {
  return {
    ca: await sh(page, "kubectl get configmap kube-root-ca.crt -o jsonpath='{.data}'"),
    deployment: await sh(page, "kubectl get deployment web -o jsonpath='{.metadata.uid}'"),
    pods: await sh(page, "kubectl get pods -o jsonpath='{range .items[*]}{.metadata.uid} {end}'"),
    nodes: await sh(page, "kubectl get nodes -o name"),
  };
}

const revision = async (page) =>
  Number(
    await sh(page, "kubectl create configmap r-$RANDOM -o jsonpath='{.metadata.resourceVersion}'"),
  );

describe("a cluster that is kept", () => {
  let page;
  let was;
  let last;

  test("the setting starts one", async (t) => {
    const context = { name: t.name, diagnostic: (m) => t.diagnostic(m), after: () => undefined };
    page = await open(context, browser, `${site.url}#/settings`, DESKTOP);
    await ready(page);
    await page.getByRole("checkbox", { name: "Keep it in this browser" }).check();
    await screenshot(page, "kept-settings-desktop");
    await Promise.all([
      page.waitForEvent("load"),
      page.getByRole("button", { name: "Start a new cluster with these settings" }).click(),
    ]);
    await ready(page);
    await sh(page, "kubectl create deployment web --image=nginx --replicas=2");
    await sh(page, "kubectl rollout status deployment web");
    await page.evaluate(() => (location.hash = "#/nodes"));
    const nodes = page.locator("tn-nodes");
    const row = (name) => nodes.locator("tr", { hasText: name });
    await nodes.getByRole("button", { name: "Add a node" }).click();
    await row("node-4").waitFor({ timeout: PATIENCE });
    await nodes.getByRole("button", { name: /^Remove node-2/ }).click();
    await row("node-2").waitFor({ state: "detached", timeout: PATIENCE });
    await sh(page, "kubectl rollout status deployment web");
    was = await identity(page);
    assert.equal(was.nodes, "node/node-1\nnode/node-3\nnode/node-4\n");
    last = await revision(page);
  });

  test("after a reload it is the same one, and its pods run again", async () => {
    let asked = false;
    page.on("dialog", (dialog) => {
      asked = true;
      void dialog.accept();
    });
    await page.reload();
    await ready(page);
    assert.ok(!asked, "the browser asked whether to leave, although nothing is lost");
    assert.deepEqual(await identity(page), was);
    await sh(page, "kubectl rollout status deployment web");
    await sh(page, "kubectl exec deploy/web -- true");
    const next = await revision(page);
    assert.ok(next > last, `revision ${next} after ${last}`);
    last = next;
    const ids = await sh(
      page,
      "kubectl get pods -o jsonpath='{.items[*].status.containerStatuses[*].ready}'",
    );
    assert.equal(ids, "true true");
  });

  test("what was acknowledged when the tab was killed is there", async () => {
    const context = page.context();
    const written = page
      .evaluate(async () => {
        for (let i = 1; ; i++) {
          const { code } = await globalThis.tabernetes.kubectl(`create configmap kill-${i}`);
          if (code === 0) console.log(`acknowledged ${i}`);
        }
      })
      .catch(() => undefined);
    let acknowledged = 0;
    await new Promise((resolve) => {
      page.on("console", (message) => {
        const number = /^acknowledged (\d+)$/.exec(message.text());
        if (number) acknowledged = Number(number[1]);
        if (acknowledged === 12) resolve();
      });
    });
    page.goto("chrome://crash").catch(() => undefined);
    await page.waitForEvent("crash");
    await written;
    await page.close();
    page = await context.newPage();
    await page.goto(site.url);
    await ready(page);
    const found = (await sh(page, "kubectl get configmaps -o name")).split("\n");
    for (let i = 1; i <= acknowledged; i++) {
      assert.ok(found.includes(`configmap/kill-${i}`), `kill-${i} of ${acknowledged} is lost`);
    }
    assert.deepEqual(await identity(page), was);
    await sh(page, "kubectl rollout status deployment web");
  });

  test("a second tab is told who has it", async () => {
    const second = await page.context().newPage();
    await second.goto(site.url);
    await second.getByRole("button", { name: "Start another cluster here" }).click();
    await second
      .getByText("another tab of this browser has it open")
      .first()
      .waitFor({ timeout: PATIENCE });
    await screenshot(second, "kept-second-tab-desktop");
    await second.close();
    await sh(page, "kubectl get nodes");
  });

  test("a reset deletes it, and a new one is kept", async () => {
    await page.goto(`${site.url}#/settings`);
    await Promise.all([
      page.waitForEvent("load"),
      page.getByRole("button", { name: "Reset: start a new cluster" }).click(),
    ]);
    await ready(page);
    assert.equal(await sh(page, "kubectl get deployments"), "");
    const other = await sh(page, "kubectl get configmap kube-root-ca.crt -o jsonpath='{.data}'");
    assert.notEqual(other, was.ca);
    await page.context().close();
  });
});
