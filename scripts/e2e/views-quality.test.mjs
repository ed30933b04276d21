/*
 * What everybody needs of the page: axe-core finds nothing in any view, keys reach everything,
 * nothing shifts, and 360 pixels are enough.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, looks, PHONE, ready, screenshot } from "./browser.mjs";
import { settled } from "./look.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

/** The views by their address, with what must be there before they are looked at. */
const VIEWS = {
  map: "tn-map button.pod",
  objects: "tn-objects",
  "api/v1/pods": "tn-grid tr[data-index]",
  editor: "tn-editor .cm-content",
  nodes: "tn-nodes table",
  events: "tn-events-page table",
  break: "tn-break .title",
  settings: "tn-settings textarea",
  clusters: "tn-clusters h2",
};

async function busy(page) {
  await ready(page);
  await page.evaluate(async () => {
    for (const line of [
      "create deployment nginx --replicas=5",
      "create deployment api --image=loop --replicas=2",
      "create deployment big --image=huge",
    ])
      await globalThis.tabernetes.kubectl(line);
  });
  await page.locator(".boot").waitFor({ state: "detached" });
  // Five run, two crash, one fits nowhere.
  await page
    .locator("tn-counts", { hasText: /8\s*pods\s*1\s*pending\s*2\s*failing/ })
    .waitFor({ state: "attached" });
  await settled(page);
}

for (const [name, colorScheme, options] of looks()) {
  test(`axe finds nothing, and pictures: ${name}, ${colorScheme}`, async (t) => {
    const page = await site.open(t, site.url, options);
    await busy(page);
    for (const [view, selector] of Object.entries(VIEWS)) {
      await page.evaluate((to) => (globalThis.location.hash = `#/${to}`), view);
      await page.locator(selector).first().waitFor({ state: "attached" });
      await settled(page);
      assert.deepEqual(await violations(page), [], view);
      await screenshot(page, `view-${view}-${name}-${colorScheme}`);
    }
    // What the page may do is in its Content-Security-Policy: it needs no more.
    assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
  });
}

test("360 pixels are enough for every view", async (t) => {
  const page = await site.open(t, site.url, {
    ...PHONE,
    viewport: { width: 360, height: 640 },
  });
  await busy(page);
  for (const [view, selector] of Object.entries(VIEWS)) {
    await page.evaluate((to) => (globalThis.location.hash = `#/${to}`), view);
    await page.locator(selector).first().waitFor({ state: "attached" });
    await settled(page);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(wider, 0, view);
  }
});

describe("by keyboard alone", () => {
  test("F6 leaves the terminal and goes round the panes", async (t) => {
    const page = await site.open(t);
    await busy(page);
    const pane = () =>
      page.evaluate(
        () => document.activeElement.closest("[aria-label], footer, header")?.className ?? "",
      );
    const seen = new Set();
    for (let i = 0; i < 6; i++) {
      await page.keyboard.press("F6");
      seen.add(await pane());
    }
    assert.ok(seen.size >= 3, [...seen].join(" | "));
  });

  test("whatever has the focus shows it", async (t) => {
    const page = await site.open(t, `${site.url}#/nodes`);
    await busy(page);
    await page.keyboard.press("F6");
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press("Tab");
      const outline = await page.evaluate(() => {
        let e = document.activeElement;
        while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
        if (e.matches(".xterm-helper-textarea, body")) return "own cursor";
        const { outlineStyle, outlineWidth } = getComputedStyle(e);
        return outlineStyle === "none" ? `none on ${e.outerHTML.slice(0, 80)}` : outlineWidth;
      });
      assert.ok(!outline.startsWith("none"), outline);
    }
  });
});

test("nothing shifts while the page starts", async (t) => {
  const page = await site.open(t, `${site.url}?verbose`, DESKTOP, () => {
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.shifts.push(entry.value);
    }).observe({ type: "layout-shift", buffered: true });
  });
  await ready(page);
  await page.locator(".boot").waitFor({ state: "detached" });
  const total = (await page.evaluate(() => globalThis.shifts)).reduce((a, b) => a + b, 0);
  // Below 0.1 is "good" by web.dev's measure; a hundredth is not seen.
  assert.ok(total < 0.01, `cumulative layout shift ${total.toFixed(4)}`);
});
