/*
 * Nodes, events, settings, a second tab and leaving, over the fake worker (web/dev).
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, ready, screenshot } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

/** A page of somebody else's with a frame that shows an address. */
async function framing(t, address) {
  const server = http.createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<iframe src="${address}" width="800" height="600" onload="loaded = 1"></iframe>`);
  });
  return listening(t, server);
}

/** A host of the site that knows types and nothing else. */
async function headless(t, folder) {
  const types = { html: "text/html", js: "text/javascript", css: "text/css" };
  const server = http.createServer((request, response) => {
    const path = new URL(request.url, "http://x").pathname.replace(/\/$/, "/index.html");
    response.setHeader("content-type", types[path.split(".").at(-1)] ?? "text/plain");
    response.end(existsSync(folder + path) ? readFileSync(folder + path) : "");
  });
  return listening(t, server);
}

async function listening(t, server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}/`;
}

const shows = (page, text) =>
  page.waitForFunction(
    (wanted) => document.querySelector("tn-terminal").text().includes(wanted),
    text,
    { timeout: 10_000 },
  );

describe("the nodes panel", () => {
  test("adds, stops, heals and removes, and says what each stands for", async (t) => {
    const page = await site.visit(t, "nodes");
    const panel = page.locator("tn-nodes");
    const row = (name) => panel.locator("tr", { hasText: name });
    await row("node-3").waitFor();
    await panel.getByRole("button", { name: "Add a node" }).click();
    await panel.getByText("node/node-4 is Ready").waitFor();
    await row("node-4").waitFor();
    const stop = row("node-4").getByRole("button", { name: /^Stop node-4: Cuts node-4 off/ });
    await stop.focus();
    await panel.getByText(/Stop is\s+minikube node stop node-4/).waitFor();
    await stop.click();
    await row("node-4").getByText("NotReady").waitFor();
    await row("node-4").getByRole("button", { name: /^Heal/ }).click();
    await row("node-4").getByText("Ready", { exact: true }).waitFor();
    const shutDown = row("node-4").getByRole("button", { name: /^Shut down node-4: Its kubelet/ });
    await shutDown.focus();
    await panel.getByText(/Shut down is\s+minikube ssh -n node-4 -- sudo poweroff/).waitFor();
    await shutDown.click();
    await panel.getByText("node/node-4 is off").waitFor();
    await row("node-4").getByText("(stopped)").waitFor();
    await row("node-4")
      .getByRole("button", { name: /^Remove/ })
      .click();
    await row("node-4").waitFor({ state: "detached" });
  });

  for (const [name, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    for (const colorScheme of ["light", "dark"]) {
      test(`says since when a node is gone: ${name}, ${colorScheme}`, async (t) => {
        const page = await site.visit(t, "nodes", { ...options, colorScheme });
        const row = page.locator("tn-nodes tr", { hasText: "node-2" });
        await row.getByRole("button", { name: /^Stop/ }).click();
        // Not since the controller found out, but since the lease was renewed last.
        const said = row.getByText(/gone since\s+\d\d:\d\d:\d\d\s+\((6[5-9]|[789]\d)s\)/);
        await said.waitFor();
        const renewed = Date.parse(await row.locator("time").getAttribute("datetime"));
        const ago = (await page.evaluate(() => Date.now())) - renewed;
        assert.ok(ago >= 65_000 && ago < 100_000, `gone since ${ago} ms`);
        assert.equal(await page.getByText("gone since").count(), 1);
        assert.deepEqual(await violations(page), []);
        await row.locator("td").first().scrollIntoViewIfNeeded();
        await screenshot(page, `nodes-gone-${name}-${colorScheme}`);
        await row.getByRole("button", { name: /^Heal/ }).click();
        await said.waitFor({ state: "detached" });
      });
    }
  }

  test("what is left of a removed node is not shown as well", async (t) => {
    const page = await site.visit(t);
    await page.evaluate(() => globalThis.tabernetes.kubectl("create deployment web --replicas=3"));
    const pods = page.locator("tn-map section[aria-label='Node node-2'] button.pod");
    await pods.first().waitFor();
    await page.evaluate(() => (globalThis.location.hash = "#/nodes"));
    const remove = page.locator("tn-nodes").getByRole("button", { name: /^Remove node-2/ });
    await remove.click();
    await page.getByText("node/node-2 removed").waitFor();
    await page.evaluate(() => (globalThis.location.hash = "#/map"));
    const left = page.locator("tn-map section[aria-label='node-2']");
    await left.getByText("gone", { exact: true }).waitFor();
    const pod = left.locator("button.pod").first();
    assert.equal(await pod.getAttribute("data-state"), "unknown");
    assert.match(await pod.innerText(), /node gone/);
    await screenshot(page, "map-gone-desktop-light");
  });

  test("what kubectl can do runs in the terminal", async (t) => {
    const page = await site.visit(t, "nodes");
    await page.getByRole("button", { name: "Cordon node-1: kubectl cordon node-1" }).click();
    await shows(page, "$ kubectl cordon node-1");
  });
});

test("the events page filters by words and type, and leads to the pod", async (t) => {
  const page = await site.visit(t, "events");
  await page.evaluate(() =>
    globalThis.tabernetes
      .kubectl("create deployment nginx --replicas=2")
      .then(() => globalThis.tabernetes.kubectl("create deployment bad --image=missing")),
  );
  const list = page.locator("tn-events-page");
  await list.locator("tr", { hasText: "Failed" }).waitFor();
  await list.getByLabel("Type").selectOption("Warning");
  assert.equal(await list.locator("tbody tr").count(), 1);
  await list.getByLabel("Type").selectOption("");
  await list.getByLabel("Filter events by words").fill("scheduled nginx");
  await list.locator("tbody tr").nth(1).waitFor();
  assert.equal(await list.locator("tbody tr").count(), 2);
  await list.locator("tbody td.mono .link").first().click();
  await page.locator("tn-inspector h2", { hasText: "pod/nginx-" }).waitFor();
  await list.getByRole("button", { name: "Scheduled" }).first().click();
  await page.waitForURL(/#\/trace/);
  await page
    .locator("tn-trace")
    .getByText(/nginx-/)
    .first()
    .waitFor();
});

for (const [name, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  test(`what an event says is in sight, and a link has the page's colour: ${name}`, async (t) => {
    const page = await site.visit(t, "events", options);
    await page.evaluate(() =>
      globalThis.tabernetes.kubectl("create deployment bad --image=missing"),
    );
    const table = page.locator("tn-events-page .scroll");
    const failed = table.locator("tr", { hasText: "Failed" }).first();
    await failed.waitFor();
    const hidden = await table.evaluate((e) => e.scrollWidth - e.clientWidth);
    assert.equal(hidden, 0, "it has to be moved sideways");
    const [about, says] = await Promise.all(
      ["td.about", "td.wide"].map((cell) => failed.locator(cell).boundingBox()),
    );
    if (name === "phone") assert.ok(says.y >= about.y + about.height, "it stands below its object");
    await screenshot(page, `events-page-${name}`);
    assert.deepEqual(await violations(page), []);
    await page.evaluate(() => (location.hash = "#/settings"));
    const link = page.getByRole("link", { name: "Configuration" });
    const [is, accent] = await link.evaluate((a) => {
      const probe = a.parentElement.appendChild(document.createElement("i"));
      probe.style.color = "var(--accent)";
      return [a, probe].map((e) => getComputedStyle(e).color);
    });
    assert.equal(is, accent);
  });
}

describe("a page with a hub", () => {
  test("says how it is reached, and gives a machine the line to join with", async (t) => {
    const page = await site.open(t, `${site.url}#hub=secret&name=demo`, DESKTOP);
    await ready(page);
    assert.doesNotMatch(page.url(), /secret/);
    await page.getByRole("button", { name: "hub demo" }).click();
    const dialog = page.getByRole("dialog", { name: "Reached as demo" });
    await dialog.getByText("nodehost kubeconfig --cluster demo").waitFor();
    await dialog.getByText("127.0.0.1:6443").waitFor();
    // While the list of the start fades, its colours have no contrast.
    await page.locator(".boot").waitFor({ state: "detached" });
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole("link", { name: "Nodes" }).click();
    const connect = page.locator("tn-connect");
    await connect.getByRole("button", { name: "Make a line to copy" }).click();
    await connect.getByText(/sudo nodehost join \S+ --cluster demo --token/).waitFor();
    await connect.getByText("bootstrap-token-").waitFor();
    assert.deepEqual(await violations(page), []);
    await screenshot(page, "nodes-connect-desktop-light");
  });

  for (const host of ["our own server, by header", "a host that sends no header, by itself"]) {
    test(`is not shown in a frame: ${host}`, async (t) => {
      const bare = host.startsWith("our own") ? undefined : await headless(t, "out/site-fake");
      const framer = await framing(t, `${bare ?? site.url}#hub=secret&name=demo`);
      const page = await site.open(t, framer);
      const frame = page.frames().find((f) => f !== page.mainFrame());
      if (bare) await frame.getByText("does not work inside of another page").waitFor();
      else await page.waitForFunction(() => globalThis.loaded);
      assert.equal(await frame.locator("tn-map, tn-question, tn-terminal").count(), 0);
      assert.equal(await frame.evaluate(() => globalThis.tabernetes === undefined), true);
    });
  }

  test("without one, Nodes says how to get one", async (t) => {
    const page = await site.visit(t, "nodes");
    await page.getByRole("heading", { name: "Connect a Linux machine" }).waitFor();
    await page.locator("tn-connect").getByText("make serve").waitFor();
    assert.equal(await page.locator("tn-hub button").count(), 0);
  });
});

describe("a question for the owner", () => {
  const dialog = (page) => page.locator("tn-question dialog");
  const asked = async (t, options = DESKTOP) => {
    const page = await site.open(t, `${site.url}#hub=secret&name=asked`, options);
    await dialog(page).getByText("CODE-1").waitFor();
    return page;
  };
  const answers = (page) =>
    page.evaluate(async () => {
      const answer = await globalThis.tabernetes.fetch("/api/v1/configmaps");
      const names = (await answer.json()).rows.map(({ object }) => object.metadata.name);
      return names.filter((name) => name.startsWith("answer-"));
    });

  test("takes no click that was meant for the one before", async (t) => {
    const page = await asked(t);
    const yes = dialog(page).getByRole("button", { name: "Give access" });
    await yes.dblclick();
    await dialog(page).getByText("CODE-2").waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Space");
    await page.keyboard.press("Escape");
    const at = await yes.boundingBox();
    await page.mouse.click(at.x + 5, at.y + 5);
    assert.deepEqual(await answers(page), ["answer-1-yes"]);
    await dialog(page).getByText("mallory").waitFor();
  });

  test("is refused by what has the focus", async (t) => {
    const page = await asked(t);
    const refuse = dialog(page).getByRole("button", { name: "Refuse" });
    await page.waitForFunction(
      () =>
        document.querySelector("tn-question").shadowRoot.activeElement?.textContent === "Refuse",
    );
    assert.deepEqual(await violations(page), []);
    await screenshot(page, "question-desktop-light");
    await page.keyboard.press("Enter");
    await dialog(page).getByText("CODE-2").waitFor();
    assert.equal(await refuse.isDisabled(), true);
    await page.waitForFunction(
      () =>
        document.querySelector("tn-question").shadowRoot.activeElement?.textContent === "Refuse",
    );
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    assert.deepEqual(await answers(page), ["answer-1-no", "answer-2-no"]);
  });
});

describe("settings", () => {
  test("make the next cluster, which a reset starts within a second", async (t) => {
    const page = await site.visit(t, "settings");
    await page.getByLabel("Nodes", { exact: true }).fill("5");
    await page.getByLabel("Scheduler").fill("kind: KubeSchedulerConfiguration");
    await page.getByLabel("Admission").fill("plugins: []");
    const start = page.getByRole("button", { name: "Start a new cluster with these settings" });
    await start.hover();
    const place = await start.boundingBox();
    await page.mouse.down(); // leaves the field, which has the file checked
    await page.evaluate(() => globalThis.tabernetes.shell("kubectl version"));
    assert.deepEqual(await start.boundingBox(), place, "the button moved under the pointer");
    await page.mouse.up();
    await page.getByRole("alert").filter({ hasText: "Object 'Kind' is missing" }).waitFor();
    await page.getByText("This cluster stays").waitFor();
    await page.getByLabel("Admission").fill("");
    await page.locator("tn-settings").getByLabel("Theme").selectOption("dark");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    const reset = page.getByRole("button", { name: "Start a new cluster with these settings" });
    const reloaded = page.waitForEvent("domcontentloaded");
    await reset.click();
    await reloaded;
    await ready(page);
    await page.locator("tn-counts", { hasText: "5 nodes" }).waitFor();
    assert.equal(
      await page.getByLabel("Scheduler").inputValue(),
      "kind: KubeSchedulerConfiguration",
    );
    // From the navigation to the first step of the start, by the page's own clock.
    const began = await page.evaluate(
      () => globalThis.performance.getEntriesByName("tn-boot")[0].startTime,
    );
    t.diagnostic(`a reset begins to boot after ${began.toFixed(0)} ms`);
  });
});

test("a second tab says so, and starts a cluster of its own when asked", async (t) => {
  const page = await site.visit(t);
  const second = await page.context().newPage();
  await second.goto(site.url);
  await second.getByText("Tabernetes runs in another tab already").waitFor();
  assert.equal(await second.locator("tn-map .column").count(), 0);
  await second.getByRole("button", { name: "Start another cluster here" }).click();
  await ready(second);
  await second.locator("tn-map .column").first().waitFor({ state: "attached" });
});

test("a second tab says so without locks, too, as at an address that is not secure", async (t) => {
  const init = () => Object.defineProperty(Navigator.prototype, "locks", { value: undefined });
  const page = await site.open(t, site.url, DESKTOP, init);
  await ready(page);
  const second = await page.context().newPage();
  await second.addInitScript(init);
  await second.goto(site.url);
  await second.getByText("Tabernetes runs in another tab already").waitFor();
  assert.equal(await second.locator("tn-map .column").count(), 0);
});

test("leaving asks once something was done, and not before", async (t) => {
  const page = await site.visit(t);
  const asked = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.keyboard.press("Enter");
  await page.reload();
  await ready(page);
  assert.deepEqual(asked, []);
  await page.keyboard.type("kubectl create deployment nginx\r");
  await shows(page, "deployment.apps/nginx created");
  await page.reload();
  assert.deepEqual(asked, ["beforeunload"]);
});
