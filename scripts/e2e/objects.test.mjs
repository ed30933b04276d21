/*
 * Objects, inspector and palette over the real cluster: one start for all of it. What is asked for here
 * only an apiserver can answer: tables, discovery, conditions, what a kind of one's own looks like.
 */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { screenshot } from "./browser.mjs";
import { COMMAND } from "./hostile.mjs";
import { settled, textOf } from "./look.mjs";
import { CRD, SHIP } from "./ships.mjs";
import { oneVisit } from "./visits.mjs";

const visit = oneVisit("objects");
const { kubectl, go, shows, until } = visit;
let page;
before(async () => {
  await visit.begun;
  page = visit.page;
});
const hash = () => page.evaluate(() => decodeURIComponent(globalThis.location.hash));
const rows = () => page.locator("tn-grid tr[data-index]");
const grid = () => page.locator("tn-grid table");
const inspector = () => page.locator("tn-inspector");
const tab = (name) => inspector().getByRole("tab", { name, exact: true });
const text = (selector) => textOf(page, selector);

describe("objects", () => {
  test("every kind that the API lists has a row, as kubectl api-resources has", async () => {
    await go("#/objects");
    const { stdout } = await kubectl("api-resources --verbs=list -o name");
    const names = new Set(stdout.trim().split("\n"));
    await until(
      (count) => Number(count) === names.size,
      () => page.locator("tn-objects .count").innerText(),
    );
  });

  test("a table of the server's, live: rows come, change and go", async () => {
    await go("#/apis/apps/v1/deployments");
    await shows(page.locator("tn-objects .empty"), "No deployments in the cluster");
    await kubectl("create deployment web --image=nginx --replicas=2");
    await kubectl("create deployment broken --image=busybox -- sh -c 'echo it broke; exit 3'");
    await shows(rows(), /default\s*web\s*2\/2/, 60_000);
    const heads = await page.locator("tn-grid th").allInnerTexts();
    assert.deepEqual(
      heads.map((h) => h.replace(/ [↑↓]$/, "")),
      ["Namespace", "Name", "Ready", "Up-to-date", "Available", "Age"],
    );
    await kubectl("scale deployment web --replicas=3");
    await shows(rows(), /web\s*3\/3/, 60_000);
  });

  test("keys sort, filter, widen and choose", async () => {
    await go("#/api/v1/pods");
    await until(
      (n) => n === 4,
      () => rows().count(),
    );
    await grid().focus();
    await page.keyboard.press("Shift+N");
    await page.keyboard.press("Shift+N");
    await page.locator("tn-grid th[aria-sort='descending']", { hasText: /^\s*Name\s/ }).waitFor();
    assert.match(await rows().first().innerText(), /web-/);
    await page.keyboard.press("w");
    await page.locator("tn-grid th", { hasText: "Nominated Node" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("-l app=web");
    await until(
      (n) => n === 3,
      () => rows().count(),
    );
    assert.match(await hash(), /filter=-l\+app=web/);
    await page.keyboard.press("Escape");
    await until(
      (n) => n === 4,
      () => rows().count(),
    );
    await page.keyboard.press("Escape");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await shows(inspector().locator("h2"), /pod\/broken-/);
    await screenshot(page, "objects-summary-desktop-light");
  });

  test("the palette by mouse", async () => {
    await page.getByRole("button", { name: /Ctrl K/ }).click();
    await page.keyboard.type("configmaps");
    await page.locator("tn-palette [role='option']", { hasText: "configmaps" }).first().click();
    await until(
      (at) => at === "#/api/v1/configmaps",
      () => hash(),
    );
    await shows(rows(), "kube-root-ca.crt");
  });

  test("thousands of rows: those in sight are drawn, all are counted and found", async () => {
    await page.evaluate(async () => {
      const { fetch } = globalThis.tabernetes;
      const create = (i) =>
        fetch("/api/v1/namespaces/default/configmaps", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: `many-${String(i).padStart(5, "0")}`, labels: { many: "yes" } },
          }),
        });
      for (let i = 0; i < 2000; i += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, j) => create(i + j)));
      }
    });
    await go("#/api/v1/configmaps?filter=-l+many=yes");
    await page.locator("tn-objects", { hasText: /\b2,?000\b/ }).waitFor({ timeout: 60_000 });
    assert.ok((await rows().count()) < 200, "only what is in sight is drawn");
    await grid().focus();
    await page.keyboard.press("End");
    await shows(rows(), "many-01999");
    // kubectl would delete them one by one, at no more than its client's rate.
    const deleted = await page.evaluate(async () => {
      const path = "/api/v1/namespaces/default/configmaps?labelSelector=many%3Dyes";
      return (await globalThis.tabernetes.fetch(path, { method: "DELETE" })).status;
    });
    assert.equal(deleted, 200);
    await page.locator("tn-objects", { hasText: /Nothing|No / }).waitFor({ timeout: 60_000 });
    await go("#/api/v1/pods");
  });

  test("a kind of one's own is there as soon as its definition is", async () => {
    await kubectl("apply -f -", CRD);
    await kubectl("wait --for=condition=Established crd/ships.example.com");
    await kubectl("apply -f -", SHIP);
    await grid().focus();
    await page.keyboard.press(":");
    await page.keyboard.type("shp");
    await page.locator("tn-palette [role='option']", { hasText: "ships" }).waitFor();
    await page.keyboard.press("Enter");
    await shows(rows(), /default\s*pinta\s*3/);
    assert.equal(await hash(), "#/apis/example.com/v1/ships");
  });
});

describe("the inspector", () => {
  let pod;
  before(async () => {
    const { stdout } = await kubectl("get pod -l app=broken -o name");
    pod = stdout.trim().replace("pod/", "");
  });

  test("summary: the server's columns, conditions over time, labels, owner", async () => {
    await go(`#/api/v1/namespaces/default/pods/${pod}`);
    await shows(inspector().locator("dl"), /Restarts/);
    await shows(inspector().locator(".conditions"), /PodScheduled\s*True/);
    await shows(inspector().locator(".pairs"), /app\s*broken/);
    await inspector()
      .getByRole("link", { name: /^ReplicaSet\/broken-/ })
      .waitFor();
  });

  test("YAML: the server's, with managed fields folded under their owners", async () => {
    await go(`#/apis/apps/v1/namespaces/default/deployments/web?show=yaml`);
    await until(
      (t) => t.includes("kind: Deployment") && !t.includes("managedFields"),
      () => text("tn-object-yaml"),
    );
    await inspector().getByRole("button", { name: "Managed fields" }).click();
    const shown = await until(
      (t) => t.includes("kubectl-create"),
      () => text("tn-object-yaml"),
    );
    assert.match(shown, /^apiVersion: apps\/v1$/m);
    assert.match(shown, /apiVersion: apps\/v1.*kubectl-create, Update/);
    assert.doesNotMatch(shown, /f:spec/);
  });

  test("describe, events and the tree of owners, whatever the kinds", async () => {
    await tab("Describe").click();
    await until(
      (t) => /Replicas:\s+3 desired/.test(t),
      () => text("tn-object-describe"),
    );
    await tab("Events").click();
    await shows(inspector().locator("tn-object-events li"), "ScalingReplicaSet");
    await tab("Tree").click();
    const tree = inspector().locator("tn-object-tree");
    await until(
      (n) => n === 5,
      () => tree.locator("a").count(),
    );
    assert.match(
      await tree.locator(".scroll").innerText(),
      /Deployment\/web[^]*ReplicaSet\/web-[^]*Pod\/web-/,
    );
    await screenshot(page, "objects-tree-desktop-light");
  });

  test("logs: of a pod, of the container before, of a whole deployment", async () => {
    await go(`#/api/v1/namespaces/default/pods/${pod}?show=logs`);
    await until(
      (t) => t.includes("it broke"),
      () => text("tn-object-logs"),
    );
    // The end of the last line is not one more.
    assert.equal(await page.locator("tn-object-logs .cm-line").last().innerText(), "it broke");
    await go(`#/apis/apps/v1/namespaces/default/deployments/broken?show=logs`);
    await until(
      (t) => /\[pod\/broken-[^\]]*\] it broke/.test(t),
      () => text("tn-object-logs"),
    );
  });

  test("a shell opens in a terminal of its own", async () => {
    const { stdout } = await kubectl("get pod -l app=web -o name");
    const name = stdout.split("\n")[0].replace("pod/", "");
    await go(`#/api/v1/namespaces/default/pods/${name}`);
    await inspector().getByRole("button", { name: "Shell" }).click();
    await page.waitForFunction((n) => {
      const [, after] = document
        .querySelector("tn-terminal")
        .text()
        .split(`kubectl exec -it ${n} -- sh`);
      return after !== undefined && /\n.*[#$]\s*$/.test(after);
    }, name);
    await page.keyboard.type("hostname; exit\r");
    await page.waitForFunction(
      (n) =>
        new RegExp(`hostname; exit\\s+${n}`).test(document.querySelector("tn-terminal").text()),
      name,
    );
  });

  test("what is deleted says so, after asking", async () => {
    await go("#/apis/example.com/v1/namespaces/default/ships/pinta");
    await shows(inspector().locator("h2"), "ship/pinta");
    await shows(grid().locator("tr[aria-selected=true]"), "pinta");
    await grid().focus();
    await page.keyboard.press("Control+d");
    const dialog = page.locator("dialog.ask");
    await shows(dialog, /kubectl delete ship\/pinta/);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await shows(inspector(), "It has been deleted.");
  });
});

test("a ClusterRole whose name is a command is described and run as one name, and completed quoted", async () => {
  const role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: COMMAND },
    rules: [],
  };
  const made = await kubectl("create -f -", JSON.stringify(role));
  assert.equal(made.code, 0, made.stderr);
  const terminal = () => page.evaluate(() => document.querySelector("tn-terminal").text());
  await go(`#/apis/rbac.authorization.k8s.io/v1/clusterroles/${encodeURIComponent(COMMAND)}`);
  await shows(inspector().locator("h2"), COMMAND);
  await tab("Describe").click();
  await shows(page.locator("tn-object-describe"), `Name:         ${COMMAND}`);
  await tab("Tree").click();
  await tab("Summary").click();
  await inspector()
    .getByRole("button", { name: /^Run, Describe/ })
    .click();
  await until((said) => said.includes(`Name:         ${COMMAND}`), terminal);
  await page.locator("tn-terminal").click();
  await page.keyboard.type("kubectl get clusterrole x");
  await page.keyboard.press("Tab");
  // Upstream's completion takes names apart at spaces (k8s.io/kubectl/pkg/util/completion): half of it, quoted.
  await until((said) => said.includes("get clusterrole 'x;kubectl'"), terminal);
  await page.keyboard.press("Enter");
  // What is said is folded to what is in sight.
  await until((said) => /"x;kubectl" not\s+found/.test(said), terminal);
  assert.match((await kubectl("get ns pwned")).stderr, /not found/);
});

test("everything can be taken along as YAML, and applied again", async () => {
  await kubectl("apply -f -", SHIP);
  await go("#/settings");
  const download = page.waitForEvent("download", { timeout: 120_000 });
  await page.getByRole("button", { name: "Download everything as YAML" }).click();
  const chunks = await (await (await download).createReadStream()).toArray();
  const yaml = Buffer.concat(chunks).toString();
  for (const kind of ["Deployment", "ConfigMap", "Ship", "CustomResourceDefinition", "Node"]) {
    assert.match(yaml, new RegExp(`^ {2}kind: ${kind}$`, "m"));
  }
  await page.locator("tn-settings", { hasText: /\d+ kinds, \d+ kB/ }).waitFor();
  const ships = yaml.split(/^---$/m).find((list) => /^ {2}kind: Ship$/m.test(list));
  await kubectl("delete ship pinta");
  const { code, stderr } = await kubectl("apply -f -", ships);
  assert.equal(code, 0, stderr);
  assert.equal((await kubectl("get ship pinta -o jsonpath={.spec.masts}")).stdout, "3");
});

test("nothing that axe finds wrong, in the views that need a cluster", async () => {
  const web = "#/apis/apps/v1/namespaces/default/deployments/web";
  for (const [at, selector] of [
    ["#/objects", "tn-objects"],
    [web, "tn-inspector #tab-summary[aria-selected=true]"],
    [`${web}?show=yaml`, "tn-object-yaml .cm-line"],
    [`${web}?show=tree`, "tn-object-tree a[aria-current=true]"],
    ["#/editor", "tn-editor .cm-content"],
  ]) {
    await go(at);
    await page.locator(selector).first().waitFor();
    await settled(page);
    assert.deepEqual(await violations(page), [], at);
  }
});

test("on a phone: a table, one of its objects, and a manifest that is applied", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await go("#/apis/apps/v1/deployments");
  await shows(rows(), "web");
  await screenshot(page, "objects-phone-light");
  await rows().filter({ hasText: "web" }).first().click();
  await shows(inspector().locator("h2"), "deployment/web");
  await screenshot(page, "objects-inspector-phone-light");
  await go("#/editor");
  const content = page.locator("tn-editor .cm-content").first();
  await content.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-a-phone\n",
  );
  await page.locator("tn-editor").getByRole("button", { name: "Apply", exact: true }).click();
  await shows(page.locator("tn-editor .results"), "configmap/from-a-phone created");
  await screenshot(page, "editor-phone-light");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${wide} px wide`);
});
