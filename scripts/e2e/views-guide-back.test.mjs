/*
 * The ways out of the guide's text, and back to where one was. Over the page in mode "fake".
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, screenshot } from "./browser.mjs";
import { CREATE, read, run } from "./guides.mjs";
import { over } from "./visits.mjs";

const OTHER = "kubectl create deployment other --replicas=1";
const DEVICES = { desktop: DESKTOP, phone: PHONE };

const site = over("out/site-fake");

/** What has the focus, shadow roots included. */
const focused = (page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element?.innerText.trim().split(" (")[0];
  });

/** A guide whose command has run, with a chapter and a place in it. */
async function reading(t, view, options) {
  const page = await site.visit(t, view, options);
  const guide = page.locator("tn-guide");
  await run(page, CREATE);
  await page.waitForFunction(() =>
    document
      .querySelector("tn-guide")
      .renderRoot.querySelector(".of")
      .innerText.includes("3 containers run"),
  );
  const bar = page.getByRole("navigation", { name: "Panes" });
  const pane = (name) => bar.getByRole("button", { name }).tap();
  if (options === PHONE) await pane("Guide");
  return { page, guide, pane };
}

for (const [device, options] of Object.entries(DEVICES)) {
  test(`from a step in Trace a button and the browser's Back lead to the claim one came from: ${device}`, async (t) => {
    const { page, guide } = await reading(t, "map", options);
    const trace = page.locator("tn-trace");
    const back = trace.getByRole("button", { name: "Back to the guide" });
    // Most of what the last chapter claims is of other chapters: it follows, and stays all the same.
    await guide.getByRole("button", { name: "Follow steps" }).click();
    await read(guide, "wrap-up");
    const list = guide.locator(".scroll");
    const claim = guide.locator("article a.claim", { hasText: "bound each to a node" });
    const press = () => (device === "phone" ? claim.tap() : claim.click());
    const place = async () => Math.round((await claim.boundingBox()).y);
    const here = async (words) => {
      await guide.locator("h3[data-name='wrap-up'][data-open]").waitFor();
      await claim.waitFor();
      await page.waitForFunction((said) => {
        let element = document.activeElement;
        while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
        return element?.innerText.includes(said);
      }, words);
      assert.ok(Math.abs((await place()) - stood) <= 1, `${await place()} was ${stood}`);
    };
    // Until all has been said of the command the text grows.
    await guide.locator("p.sr[role='status']", { hasText: "3 containers run" }).waitFor();
    await guide.locator("article a.moment").first().waitFor();
    await claim.scrollIntoViewIfNeeded();
    await list.evaluate((element) => (element.scrollTop += 120));
    const stood = await place();
    await press();
    await trace.locator("tn-step h2", { hasText: "node" }).waitFor();
    await back.waitFor();
    assert.match(await back.getAttribute("title"), /Wrap-up/);
    // With one more button above them the rows have less room: the step's is in sight all the same.
    const row = await trace.locator("[role='treeitem'][aria-selected='true']").boundingBox();
    const rows = await trace.getByRole("tree").boundingBox();
    assert.ok(row.y >= rows.y && row.y + row.height <= rows.y + rows.height, `${row.y} ${rows.y}`);
    assert.deepEqual(await violations(page), []);
    await screenshot(page, `trace-back-${device}`);
    // Somebody looks round, there and in the guide.
    await trace.getByRole("tree").press("ArrowDown");
    if (device === "desktop") await read(guide, "kubectl");
    await back.click();
    await here("bound each to a node");
    assert.equal(await back.count(), 0);
    // The same by the browser's Back, from Trace to Trace as well.
    for (const begin of ["#/trace", "#/map"]) {
      await page.evaluate((hash) => (globalThis.location.hash = hash), begin);
      if (device === "phone") {
        const bar = page.getByRole("navigation", { name: "Panes" });
        await bar.getByRole("button", { name: "Guide" }).tap();
      }
      await page.waitForFunction((hash) => globalThis.location.hash === hash, begin);
      await press();
      await back.waitFor();
      if (device === "desktop") await read(guide, "kubectl");
      await page.goBack();
      await here("bound each to a node");
      assert.equal(await page.evaluate(() => globalThis.location.hash), begin);
    }
    // Whoever comes to Trace by another way came from no place of the guide.
    await page.evaluate(() => (globalThis.location.hash = "#/etcd"));
    await page.evaluate(() => (globalThis.location.hash = "#/trace"));
    assert.equal(await back.count(), 0);
  });
}

test("the way back leads from Journey and from other views as well, and what was no place is none", async (t) => {
  const { page, guide } = await reading(t, "map", DESKTOP);
  await read(guide, "etcd");
  const start = guide.getByRole("link", { name: "Play that start" });
  await start.click();
  await page.locator("tn-start").waitFor();
  await read(guide, "kubectl");
  await page.goBack();
  await guide.locator("h3[data-name='etcd'][data-open]").waitFor();
  await page.waitForFunction(() => globalThis.location.hash === "#/map");
  await page.waitForFunction(
    () =>
      document.querySelector("tn-guide").renderRoot.activeElement?.innerText === "Play that start",
  );
  // An entry of the history may hold anything.
  await page.evaluate(() => {
    globalThis.history.replaceState(
      { guide: { chapter: "nowhere", top: "x", key: 7 } },
      "",
      "#/map",
    );
    globalThis.history.pushState(null, "", "#/etcd");
  });
  await page.goBack();
  await guide.locator("h3[data-name='etcd'][data-open]").waitFor();
});

test("who has left the story and has another one told is led to its beginning", async (t) => {
  const { page, guide } = await reading(t, "guide/scheduler", DESKTOP);
  const follow = guide.getByRole("button", { name: "Follow steps" });
  const open = (name) => guide.locator(`h3[data-name="${name}"][data-open]`);
  await read(guide, "scheduler");
  assert.equal(await follow.getAttribute("aria-pressed"), "false");
  await run(page, "kubectl get pods");
  await guide.getByRole("button", { name: "Tell instead: kubectl get pods" }).click();
  await open("kubectl").waitFor();
  await guide.locator(".of b", { hasText: "kubectl get pods" }).waitFor();
  assert.equal(await follow.getAttribute("aria-pressed"), "true");
  assert.equal(await guide.getByText("Another command is told now.").count(), 0);
  // The button has gone: who pressed it goes on where they were led.
  assert.match(await focused(page), /kubectl/);
  // Whoever chooses from the list compares, and stays; the beginning is offered.
  await read(guide, "scheduler");
  const tells = guide.getByLabel("Told now");
  await tells.selectOption({ label: CREATE });
  await guide.locator(".of b", { hasText: CREATE }).waitFor();
  assert.equal(await open("scheduler").count(), 1);
});

test("so is who has it told in the journey, which begins there and waits", async (t) => {
  const { page, guide } = await reading(t, "journey", DESKTOP);
  const journey = page.locator("tn-journey");
  const open = (name) => guide.locator(`h3[data-name="${name}"][data-open]`);
  await journey.locator("rect.pod[data-started]").nth(2).waitFor();
  await journey.getByRole("button", { name: "Slowly" }).click();
  await journey.getByRole("button", { name: "Go on" }).waitFor();
  await read(guide, "scheduler");
  await run(page, OTHER);
  await journey.getByRole("button", { name: "Tell instead: " }).click();
  await journey.locator(".at", { hasText: /^1 of / }).waitFor();
  await journey.locator(".said", { hasText: OTHER }).waitFor();
  await open("kubectl").waitFor();
  await journey.getByText("Now: kubectl. Read, then go on.").waitFor();
  const follow = guide.getByRole("button", { name: "Follow steps" });
  assert.equal(await follow.getAttribute("aria-pressed"), "true");
  assert.equal(await guide.getByText("Another command is told now.").count(), 0);
  assert.equal(await focused(page), "Go on");
  // And on: the guide goes where that story goes.
  await journey.getByRole("button", { name: "Without stops" }).click();
  await journey.getByRole("button", { name: "Go on" }).click();
  await open("authentication").waitFor({ timeout: 60_000 });
});
