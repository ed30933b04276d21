/*
 * What a chapter of the guide looks like: what its marks mean, what is folded in it, how long its steps took, and its
 * tables. Over the page in mode "fake".
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, screenshot } from "./browser.mjs";
import { CREATE, read, run } from "./guides.mjs";
import { over } from "./visits.mjs";

const DEVICES = { desktop: DESKTOP, phone: PHONE };

const site = over("out/site-fake");

async function names(guide) {
  const all = guide.locator('h3[data-name]:not([data-name="words"])');
  return all.evaluateAll((headings) => headings.map((h) => h.dataset.name));
}

/** How links and marks look, whose computed styles are compared. */
const look = (element) => {
  const { color, backgroundColor, textDecorationLine, textDecorationStyle, ...more } =
    getComputedStyle(element);
  const { borderBottomStyle, borderBottomColor, boxShadow } = more;
  const after = getComputedStyle(element, "::after").content;
  const line = borderBottomStyle === "none" ? "" : borderBottomColor;
  return [color, backgroundColor, textDecorationLine, textDecorationStyle, borderBottomStyle]
    .concat(line, boxShadow, after)
    .join(" ");
};

for (const [device, options] of Object.entries(DEVICES)) {
  test(`each chapter has at its beginning what its marks mean, as they look: ${device}`, async (t) => {
    const page = await site.visit(t, "guide/etcd", options);
    const guide = page.locator("tn-guide");
    await run(page, CREATE);
    await guide.locator(".of", { hasText: "3 containers run" }).waitFor();
    await read(guide, "etcd");
    const marks = guide.locator("article > details.marks");
    const summary = marks.locator("summary");
    assert.equal(await guide.locator("article > :first-child").getAttribute("class"), "marks");
    await guide.getByText("What the marks in the text mean").first().waitFor({ state: "attached" });
    assert.equal(await marks.getAttribute("open"), null);
    await summary.click();
    const rows = marks.locator("dt");
    const meanings = await marks.locator("dd").allInnerTexts();
    assert.equal(meanings.length, await rows.count());
    for (const [at, what] of [
      /^No command .* yet/,
      /Trace/,
      /another/i,
      /now/,
      /Journey/,
    ].entries())
      assert.match(meanings[at], what);
    for (const [at, what] of [/means/, /this page/, /GitHub/].entries())
      assert.match(meanings[at + 5], what);
    // Each look that there is in the text is one of those.
    const known = await rows.locator(":scope > *").evaluateAll((all, f) => {
      const lookOf = new Function(`return ${f}`)();
      return all.map(lookOf);
    }, look.toString());
    assert.equal(new Set(known).size, known.length, known.join("\n"));
    for (const selector of ["a.claim", "a.moment", ".term", "a[target]", "a[href='#/start']"]) {
      const one = guide.locator(`article > p ${selector}:visible`).first();
      assert.ok(known.includes(await one.evaluate(look)), selector);
    }
    assert.deepEqual(await violations(page), []);
    await screenshot(page, `guide-marks-${device}`);
    // Whoever has opened it has it open in the next chapter, too.
    await read(guide, "admission");
    assert.notEqual(await marks.getAttribute("open"), null);
    await summary.click();
    await read(guide, "scheduler");
    assert.equal(await marks.getAttribute("open"), null);
  });
}

test("in brackets behind a claim stands what was seen, and reads as that", async (t) => {
  const page = await site.visit(t, "guide/controllers");
  const guide = page.locator("tn-guide");
  await run(page, CREATE);
  await guide.locator(".of", { hasText: "3 containers run" }).waitFor();
  await read(guide, "controllers");
  const figures = guide.locator("article a.claim .figure");
  await figures.first().waitFor();
  for (const text of await figures.allInnerTexts()) assert.match(text, /^\s*\(seen: .+\)$/);
  await guide.locator("a.claim", { hasText: "(seen: event ADDED, 2 handlers" }).waitFor();
  // It is a part of the sentence, and no line of a log.
  const family = (element) => getComputedStyle(element).fontFamily;
  const prose = await guide.locator("article > p").first().evaluate(family);
  assert.equal(await figures.first().evaluate(family), prose);
});

test("what older guides had is folded in each chapter, and a link into it opens it", async (t) => {
  const page = await site.visit(t, "guide/kubectl");
  const guide = page.locator("tn-guide");
  const older = guide.locator("article details", {
    has: page.locator("summary h4", { hasText: "Since the older guides" }),
  });
  for (const name of (await names(guide)).filter((one) => one !== "wrap-up")) {
    await read(guide, name);
    assert.equal(await older.getAttribute("open"), null, name);
    assert.equal(await older.locator("li").first().isVisible(), false, name);
    assert.equal(await older.locator("li").count().then(Boolean), true, name);
  }
  // A heading for those who go by headings, and none of its lines before it is opened.
  const heading = guide.getByRole("heading", { name: "Since the older guides", level: 4 });
  await heading.click();
  await older.locator("li").first().waitFor();
  await screenshot(page, "guide-older-desktop");
  await page.evaluate(() => (globalThis.location.hash = "#/guide/cri/since-the-older-guides"));
  await guide.locator("h3[data-name='cri'][data-open] + article:not([data-coming])").waitFor();
  await older.locator("li", { hasText: "Sandboxes were checkpointed" }).waitFor();
  const { y } = await heading.boundingBox();
  const { top, bottom } = await guide.locator(".scroll").evaluate((e) => e.getBoundingClientRect());
  assert.ok(y >= top && y < bottom, `${y} in ${top} … ${bottom}`);
  // What is no heading of a chapter leads to its beginning.
  await page.evaluate(() => (globalThis.location.hash = "#/guide/cni/%22%5D%20*"));
  await guide.locator("h3[data-name='cni'][data-open] + article:not([data-coming])").waitFor();
  assert.equal(await older.getAttribute("open"), null);
});

test("a chapter's time is that of its steps, from the first to the last, and says so", async (t) => {
  const page = await site.visit(t, "guide/kubectl");
  const guide = page.locator("tn-guide");
  await run(page, CREATE);
  await guide.locator(".of", { hasText: "3 containers run" }).waitFor();
  const figure = guide.locator("h3[data-name='controllers'] .figure");
  await figure.getByText(/^\+[\d.]+( ms)? to \+[\d.]+ m?s$/).waitFor();
  assert.match(
    await figure.getAttribute("title"),
    /^\d+ steps: the first at \+[\d.]+ ms, the last ended at \+[\d.]+ m?s$/,
  );
  await read(guide, "controllers");
  const line = guide.locator("article > .span");
  await line
    .getByText(
      /^Of the command above \d+ steps: the first at \+[\d.]+ ms, the last ended at \+[\d.]+ m?s\.$/,
    )
    .waitFor();
  await read(guide, "wrap-up");
  await line.getByText(/^Of the command above the last container ran at \+[\d.]+ m?s\.$/).waitFor();
  await read(guide, "initializers");
  assert.equal(await line.count(), 0);
});

/** Words of a table that are broken inside, with where a browser breaks them at a hyphen or a slash taken for the end of one. */
const brokenCells = (element) => {
  const found = [];
  for (const cell of element.renderRoot.querySelectorAll("article :is(td, th)")) {
    const walk = document.createTreeWalker(cell, 4 /* text */);
    while (walk.nextNode()) {
      for (const { 0: word, index } of walk.currentNode.data.matchAll(
        /(?<!\S)-+[^\s/=-]+|[^\s/=-]+/g,
      )) {
        const range = document.createRange();
        range.setStart(walk.currentNode, index);
        range.setEnd(walk.currentNode, index + word.length);
        const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
        if (new Set(tops).size > 1) found.push(word);
      }
    }
  }
  return found;
};

for (const [device, options] of Object.entries({
  desktop: DESKTOP,
  narrow: { viewport: { width: 1024, height: 768 } },
  phone: PHONE,
  small: { ...PHONE, viewport: { width: 320, height: 640 } },
})) {
  test(`tables break no word, and are moved sideways within themselves: ${device}`, async (t) => {
    const page = await site.visit(t, "guide/kubectl", options);
    const guide = page.locator("tn-guide");
    await run(page, CREATE);
    await guide.locator(".of", { hasText: "3 containers run" }).waitFor();
    let tables = 0;
    for (const name of await names(guide)) {
      await read(guide, name);
      const all = guide.locator("article table");
      if ((await all.count()) === 0) continue;
      tables += await all.count();
      assert.deepEqual(await guide.evaluate(brokenCells), [], name);
      const wider = await guide
        .locator(".scroll")
        .evaluate((list) => list.scrollWidth - list.clientWidth);
      assert.equal(wider, 0, `${name} is wider than its place`);
      if (name !== "authentication") continue;
      await all.first().scrollIntoViewIfNeeded();
      await screenshot(page, `guide-table-${device}`);
    }
    assert.equal(tables, 4);
  });
}
