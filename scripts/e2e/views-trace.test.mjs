/*
 * What happens when, on the page: the guide beside the cluster, what just happened, and the trace.
 * Over the fake worker, which tells a small trace (web/dev/fake-trace.ts).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, looks, PHONE, ready, screenshot } from "./browser.mjs";
import { settled } from "./look.mjs";
import { over } from "./visits.mjs";

const CREATE = "kubectl create deployment nginx --image=nginx --replicas=3";

const site = over("out/site-fake");

const run = (page, line) =>
  page.evaluate((l) => globalThis.tabernetes.kubectl(l), line.replace("kubectl ", ""));

/** The command has been followed to its end: three containers run. */
const toTheEnd = async (page) => {
  await run(page, CREATE);
  await page
    .locator("tn-happened button", { hasText: "3 started" })
    .first()
    .waitFor({ state: "attached" });
};

test("the guide runs its command, and its chapters light up as it comes to them", async (t) => {
  const page = await site.visit(t);
  const guide = page.locator("tn-guide");
  assert.equal(await guide.locator("h3:has(.dot)").count(), 14);
  // And behind them what their words mean.
  assert.equal(await guide.locator("h3:not(:has(.dot))").innerText(), "▸\nWords");
  assert.equal(await guide.locator(".dot[data-reached]").count(), 0);
  await guide.getByRole("button", { name: `Run in the terminal: ${CREATE}`, exact: true }).click();
  await page.locator("tn-happened button", { hasText: "3 started" }).waitFor();
  await guide.locator('h3[data-name="startup"] .dot[data-reached]').waitFor();
  for (const name of ["kubectl", "authentication", "etcd", "controllers", "scheduler", "cri"]) {
    await guide.locator(`h3[data-name="${name}"] .dot[data-reached]`).waitFor();
  }
  // Nothing of these two can be seen here.
  for (const name of ["initializers", "networking"]) {
    assert.equal(await guide.locator(`h3[data-name="${name}"] .dot[data-reached]`).count(), 0);
  }
  await screenshot(page, "guide-ran-desktop-light");
});

test("the guide's boxes leave the command that is told; another one can be chosen", async (t) => {
  const page = await site.visit(t);
  const guide = page.locator("tn-guide");
  await guide.getByRole("button", { name: `Run in the terminal: ${CREATE}`, exact: true }).click();
  await page.locator("tn-happened button", { hasText: "3 started" }).waitFor();
  const told = guide.locator(".of b");
  const CHANGED = "kubectl create deployment beside --replicas=1";
  // The first box, pressed again, is run beside what is told, as every other box is: the fake knows its command.
  await guide.evaluate((element) => {
    element.renderRoot.querySelectorAll(".run button")[0].click();
  });
  const offer = guide.locator(".others p", { hasText: "It ran since then." });
  await offer.waitFor();
  await guide.locator('h3[data-name="startup"] .dot[data-reached]').waitFor();
  const select = guide.getByLabel("Told now");
  const first = await select.inputValue();
  await offer.getByRole("button", { name: "Tell instead: kubectl create deployment" }).click();
  await offer.waitFor({ state: "detached" });
  assert.notEqual(await select.inputValue(), first);
  await select.selectOption(first);
  await offer.waitFor();
  // What is typed is told.
  await run(page, CHANGED);
  await told.filter({ hasText: CHANGED }).waitFor();
  // One that only looks comes into the list, and the list goes on saying which is told.
  const listed = await select.locator("option").count();
  await run(page, "kubectl get pods");
  await select.locator("option").nth(listed).waitFor({ state: "attached" });
  assert.equal(await select.evaluate((one) => one.selectedOptions[0].text), CHANGED);
  // The trace chooses for the guide, too.
  await page.evaluate(() => (globalThis.location.hash = "#/trace"));
  await page.locator("tn-trace").getByLabel("Command").selectOption(first);
  await told.filter({ hasText: CREATE }).waitFor();
});

test("a claim has who, and how long, and leads to its step", async (t) => {
  const page = await site.visit(t);
  await toTheEnd(page);
  const guide = page.locator("tn-guide");
  await guide
    .getByRole("button", { name: /^. Authentication|Authentication/ })
    .first()
    .click();
  const claim = guide.locator("a.claim").first();
  assert.match(await claim.innerText(), /kubernetes-admin · 0\.3 ms/);
  await claim.click();
  await page.locator("tn-trace tn-step h2", { hasText: "accepted kubernetes-admin" }).waitFor();
  assert.match(page.url(), /#\/trace$/);
});

test("a claim's step is in sight in the trace, which stood behind the journey until then", async (t) => {
  const page = await site.visit(t, "trace");
  await toTheEnd(page);
  const list = page.locator("tn-trace .list");
  await list.locator("[role=treeitem]").first().waitFor();
  await page.evaluate(() => (globalThis.location.hash = "#/journey"));
  await list.waitFor({ state: "hidden" });
  const guide = page.locator("tn-guide");
  await guide.locator('h3[data-name="startup"] button').click();
  await guide.locator("article a.claim").last().click();
  await page.waitForFunction(() => {
    const shown = document.querySelector("tn-trace").shadowRoot;
    const row = shown.querySelector("[aria-selected=true]")?.getBoundingClientRect();
    const all = shown.querySelector(".list").getBoundingClientRect();
    return row && row.top >= all.top - 1 && row.bottom <= all.bottom + 1;
  });
  assert.ok((await list.evaluate((one) => one.scrollTop)) > 0);
});

test("the guide follows the step that is looked at, until the reader goes another way", async (t) => {
  const page = await site.visit(t, "trace");
  await toTheEnd(page);
  const guide = page.locator("tn-guide");
  const trace = page.locator("tn-trace");
  const see = async (words) => {
    await trace.getByRole("searchbox").fill(words);
    await trace.locator("[role=treeitem]").first().click();
  };
  await see("scheduler.bind");
  await guide.locator('h3[data-name="scheduler"][data-open][data-now]').waitFor();
  await guide.locator('h3[data-name="cni"] button').click();
  await see("cri.RunPodSandbox");
  await guide.locator('h3[data-name="cri"][data-now]').waitFor();
  assert.equal(await guide.locator("h3[data-open]").getAttribute("data-name"), "cni");
  await guide.getByRole("button", { name: "Follow" }).click();
  await guide.locator('h3[data-name="cri"][data-open]').waitFor();
});

test("who comes back to the chapter of the step that is shown has the guide follow again", async (t) => {
  const page = await site.visit(t, "journey");
  await toTheEnd(page);
  const guide = page.locator("tn-guide");
  const journey = page.locator("tn-journey");
  const follows = guide.getByRole("button", { name: "Follow steps" });
  const off = () => guide.locator('header button[aria-pressed="false"]').waitFor();
  const on = () => guide.locator('header button[aria-pressed="true"]').waitFor();
  const heading = (name) => guide.locator(`h3[data-name="${name}"]`);
  await journey.getByRole("button", { name: "Slowly" }).click();
  await journey.getByRole("button", { name: "Go on" }).waitFor();
  await heading("initializers").getByRole("button").click();
  await off();
  // The way back stands there as soon as another chapter is open.
  await journey.getByRole("button", { name: "Read it" }).click();
  await heading("kubectl").and(guide.locator("[data-open]")).waitFor();
  await on();
  // It goes on with the steps; at the last one, too, a chapter that is pressed stays open.
  const at = journey.getByRole("slider", { name: "Step of the command" });
  await at.fill(await at.getAttribute("max"));
  await heading("wrap-up").and(guide.locator("[data-open]")).waitFor();
  await follows.click();
  await off();
  await heading("startup").getByRole("button").click();
  await heading("startup").and(guide.locator("[data-open]")).waitFor();
  await on();
  assert.equal(await guide.locator("h3[data-open]").getAttribute("data-name"), "startup");
});

test("what just happened is told in a line, and each part of it leads to its step", async (t) => {
  const page = await site.visit(t);
  await toTheEnd(page);
  const parts = await page.locator("tn-happened .parts").first().locator("button").allInnerTexts();
  assert.match(parts[0], /^POST deployments 201 · 12 ms$/);
  assert.match(parts[1], /^deployment controller made rs nginx-7d4f9c6b58$/);
  assert.match(parts[2], /^3 pods$/);
  assert.match(parts[3], /node-\d, node-\d, node-\d/);
  assert.match(parts[4], /^3 started · \d+ ms$/);
  // A command that only looks does not take its place.
  await run(page, "kubectl get pods");
  const toggle = page.getByRole("button", { name: /earlier commands/ });
  await toggle.click();
  await page.locator("tn-happened li", { hasText: "kubectl get pods" }).waitFor();
  assert.match(await page.locator("tn-happened .parts").first().innerText(), /POST deployments/);
  await page.locator("tn-happened .line .parts button").nth(1).click();
  await page.locator("tn-trace tn-step h2", { hasText: /deployment/ }).waitFor();
});

test("the trace: by keyboard, searched, by component, about one object", async (t) => {
  const page = await site.visit(t, "trace");
  await toTheEnd(page);
  const trace = page.locator("tn-trace");
  const rows = trace.locator("[role=treeitem]");
  await rows.first().waitFor();
  const list = trace.locator("[role=tree]");
  await list.focus();
  await page.keyboard.press("End");
  const selected = trace.locator("[aria-selected=true] .what");
  await selected.filter({ hasNotText: CREATE }).waitFor();
  const last = await selected.innerText();
  await page.keyboard.press("ArrowUp");
  await selected.filter({ hasNotText: last }).waitFor();
  await page.keyboard.press("Home");
  await trace.locator("tn-step h2", { hasText: CREATE }).waitFor();
  await trace.getByRole("searchbox").fill("runpodsandbox");
  await trace.locator(".count", { hasText: /^3 of \d+ steps/ }).waitFor();
  await trace.getByRole("searchbox").fill("");
  await trace.getByLabel("Component").selectOption("etcd");
  for (const who of await rows.locator(".who").allInnerTexts()) assert.equal(who, "etcd");
  await trace.getByLabel("Component").selectOption("");
  await rows.filter({ hasText: "scheduler.queued" }).first().waitFor({ state: "detached" });
  await trace.getByRole("searchbox").fill("RunPodSandbox");
  await rows.first().dblclick();
  await trace.getByRole("searchbox").fill("");
  await trace.getByTitle("Show steps about any object").waitFor();
  await screenshot(page, "trace-object-desktop-light");
});

test("a step has its cause, what changed, its object and its line of source", async (t) => {
  const page = await site.visit(t, "trace");
  await toTheEnd(page);
  const trace = page.locator("tn-trace");
  await trace.getByRole("searchbox").fill("admission.mutating");
  await trace.locator("[role=treeitem]").first().click();
  const step = trace.locator("tn-step");
  await step.getByText(".spec.serviceAccountName").first().waitFor();
  // The page is told how many nodes passed; which filter said what is asked for on a click.
  await trace.getByRole("searchbox").fill("scheduler.filter");
  await trace.locator("[role=treeitem]").first().click();
  await step.locator("h2", { hasText: "3 of 3 nodes pass 3 filters" }).waitFor();
  await step
    .getByRole("region", { name: "Nodes and filters" })
    .locator("thead th")
    .nth(3)
    .waitFor();
  await trace.getByRole("searchbox").fill("scheduler.score");
  await trace.locator("[role=treeitem]").first().click();
  const matrix = step.getByRole("region", { name: "Nodes and scores" });
  await matrix.locator("thead th").nth(3).waitFor();
  assert.equal(await matrix.locator("thead th").count(), 4, "a column for each node");
  assert.equal(await matrix.locator("thead [data-chosen]").count(), 1);
  // Beside the guide the pane is narrow: no number breaks in two.
  const broken = (cells) => {
    const range = document.createRange();
    return cells.filter((cell) => {
      range.selectNodeContents(cell);
      return new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size > 1;
    }).length;
  };
  assert.equal(await matrix.locator(".number").evaluateAll(broken), 0);
  await trace.getByRole("searchbox").fill("etcd.put");
  await trace.locator("[role=treeitem]").first().click();
  const source = step.getByRole("link");
  assert.match(
    await source.getAttribute("href"),
    /^https:\/\/github\.com\/kubernetes\/kubernetes\/blob\/v1\.36\.3\/.*store\.go#L317$/,
  );
  // The same kind, done for another verb, is another line's.
  await trace.locator("[role=treeitem]").last().click();
  await step.getByRole("link", { name: /store\.go:597$/ }).waitFor();
  await trace.locator("[role=treeitem]").first().click();
  await step.getByRole("button", { name: /^POST deployments/ }).click();
  await step.locator("h2", { hasText: "POST deployments" }).waitFor();
  await step.getByRole("button", { name: "deployments default/nginx" }).click();
  await page.waitForURL(/#\/apis\/apps\/v1\/namespaces\/default\/deployments\/nginx/);
});

test("on a phone each step's words are in sight, however deep, and what changed stands whole", async (t) => {
  const page = await site.visit(t, "trace", PHONE);
  await toTheEnd(page);
  const trace = page.locator("tn-trace");
  await trace.locator("[role=treeitem][aria-level='14']").first().waitFor();
  const narrowest = await trace
    .locator(".what")
    .evaluateAll((all) =>
      Math.min(...all.map((e) => e.clientWidth - parseFloat(getComputedStyle(e).paddingLeft))),
    );
  assert.ok(narrowest > 80, `a step has ${narrowest} pixels for its words`);
  await trace.getByRole("searchbox").fill("admission.mutating");
  await trace.locator("[role=treeitem]").first().click();
  const changed = trace.locator("tn-step").getByRole("list", { name: "What changed" });
  await changed.scrollIntoViewIfNeeded();
  // A plugin, a path and a value, each on a line of its own if it has room there.
  const lines = await changed
    .getByRole("listitem")
    .first()
    .locator("span, code, ins")
    .evaluateAll((all) =>
      all.map((e) => {
        const range = document.createRange();
        range.selectNodeContents(e);
        return `${e.textContent}: ${range.getClientRects().length}`;
      }),
    );
  assert.deepEqual(lines, ["ServiceAccount: 1", ".spec.serviceAccountName: 1", "default: 1"]);
  await screenshot(page, "views-trace-phone-changes");
});

for (const [device, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  test(`a row has its sentence in whole, of seventy letters at least, and the matrix a sign of its edge: ${device}`, async (t) => {
    const page = await site.visit(t, "trace", options);
    await run(page, CREATE);
    const trace = page.locator("tn-trace");
    await trace.locator(".row").nth(12).waitFor();
    await settled(page);
    const rows = await trace.locator(".row").evaluateAll((all) =>
      all.map((row) => {
        const what = row.querySelector(".what");
        return {
          text: what.textContent,
          cut: what.scrollHeight > what.clientHeight + 2 || what.scrollWidth > what.clientWidth + 1,
        };
      }),
    );
    const cut = rows.filter(({ text, cut }) => cut && text.trim().length <= 70);
    assert.deepEqual(cut, []);
    assert.ok(rows.some(({ text }) => text.trim().length > 40));
    // By keyboard, from row to row, however high they are.
    await trace.locator(".list").focus();
    for (let i = 0; i < 30; i++) await page.keyboard.press("ArrowDown");
    await settled(page);
    const inSight = await trace.locator(".list").evaluate((list) => {
      const row = list.querySelector('[aria-selected="true"]').getBoundingClientRect();
      const { top, bottom } = list.getBoundingClientRect();
      return row.top >= top - 1 && row.bottom <= bottom + 1;
    });
    assert.ok(inSight, "the row that is looked at is in sight");
    await trace.getByRole("searchbox").fill("best");
    await trace.locator(".row").first().click();
    await trace.locator("tn-step .wide .matrix").waitFor();
    await screenshot(page, `trace-rows-${device}`);
  });
}

test("the trace is saved as JSON", async (t) => {
  const page = await site.visit(t, "trace");
  await toTheEnd(page);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.locator("tn-trace").getByRole("button", { name: "Export" }).click(),
  ]);
  const saved = JSON.parse(readFileSync(await download.path(), "utf8"));
  assert.ok(saved.steps.length > 50);
  assert.equal(saved.source.version, "v1.36.3");
});

test("names with markup stay text, wherever they are shown", async (t) => {
  const page = await site.visit(t, "trace");
  const name = "<img/src=x/onerror=globalThis.broken=1>";
  await run(page, `kubectl create deployment ${name} --replicas=2`);
  await page.locator("tn-happened button", { hasText: "2 started" }).waitFor();
  const trace = page.locator("tn-trace");
  await trace.locator("[role=treeitem]", { hasText: name }).first().click();
  await page.evaluate(() => (globalThis.location.hash = "#/journey"));
  await page.locator("tn-journey").getByRole("button", { name: "Slowly" }).click();
  await page.locator("tn-journey").getByRole("button", { name: "Go on" }).waitFor();
  await page.locator("tn-journey").getByRole("slider").fill("0");
  for (const view of ["tn-happened", "tn-trace", "tn-guide", "tn-journey"]) {
    assert.equal(await page.locator(`${view} img`).count(), 0, view);
    const text = await page.locator(view).evaluate((e) => e.shadowRoot.textContent);
    assert.ok(text.includes("<img/src"), view);
  }
  assert.equal(await page.evaluate(() => globalThis.broken), undefined);
});

test("steps that went before they were read are counted, in words", async (t) => {
  const page = await site.visit(t, "trace");
  await run(page, "kubectl miss 41");
  await toTheEnd(page);
  await page
    .locator("tn-trace .count", { hasText: "41 older ones are not held any more" })
    .waitFor();
  await page.locator("tn-guide .of", { hasText: "41 older steps are not held any more" }).waitFor();
});

test("the guide gives its place away, and the page remembers it", async (t) => {
  const page = await site.visit(t);
  const width = () => page.locator(".pane.term").evaluate((e) => e.clientWidth);
  const before = await width();
  await page.getByRole("button", { name: "Close the guide" }).click();
  await page.locator("tn-guide").waitFor({ state: "hidden" });
  assert.ok((await width()) > before + 200);
  await page.reload();
  await ready(page);
  assert.equal(await page.locator("tn-guide").isVisible(), false);
  await page.keyboard.press("F6");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("open the guide");
  await page.keyboard.press("Enter");
  await page.locator("tn-guide").waitFor();
});

test("a button that is gone with its press hands the focus to what it led to", async (t) => {
  const page = await site.visit(t, "journey");
  await toTheEnd(page);
  const guide = page.locator("tn-guide");
  // Whether the focus is on it, through all shadow roots.
  const focused = (selector) =>
    page.waitForFunction((wanted) => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return at?.matches(wanted) ?? false;
    }, selector);
  await guide.getByRole("button", { name: "Authentication", exact: true }).focus();
  await page.keyboard.press("Enter");
  await focused('h3[data-name="authentication"] button');
  await page.locator("tn-journey").getByRole("button", { name: "Show the step" }).focus();
  await page.keyboard.press("Enter");
  await focused("[role=tree]");
});

for (const [device, colorScheme, options] of looks()) {
  test(`axe finds nothing, and pictures: ${device}, ${colorScheme}`, async (t) => {
    const page = await site.visit(t, "", options);
    await toTheEnd(page);
    const phone = device === "phone";
    const pane = (name) => page.locator("tn-panes").getByRole("button", { name }).click();
    if (phone) await pane("Guide");
    const guide = page.locator("tn-guide");
    for (const name of ["kubectl", "admission", "scheduler", "wrap-up"]) {
      await guide.locator(`h3[data-name="${name}"] button`).click();
      await settled(page);
      assert.deepEqual(await violations(page), [], name);
      await screenshot(page, `guide-${name}-${device}-${colorScheme}`);
    }
    await page.evaluate(() => (globalThis.location.hash = "#/trace"));
    await page.locator("tn-trace [role=treeitem]").nth(8).click();
    await settled(page);
    assert.deepEqual(await violations(page), [], "trace");
    await screenshot(page, `trace-${device}-${colorScheme}`);
    await page.evaluate(() => (globalThis.location.hash = "#/journey"));
    const journey = page.locator("tn-journey");
    await journey.getByRole("button", { name: "Slowly" }).click();
    await journey.getByRole("button", { name: "Go on" }).waitFor();
    await journey.getByRole("slider").fill("30");
    await settled(page);
    assert.deepEqual(await violations(page), [], "journey");
    await screenshot(page, `journey-${device}-${colorScheme}`);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(wider, 0);
    assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
  });
}
