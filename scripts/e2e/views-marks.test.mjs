/*
 * What stands beside the lines of a terminal: what each command set off, and the objects that its
 * output names. Over the fake worker.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { PHONE, screenshot, terminalText } from "./browser.mjs";
import { until } from "./look.mjs";
import { over } from "./visits.mjs";

const CREATE = "kubectl create deployment nginx --image=nginx --replicas=3";

const site = over("out/site-fake");

/** Types a line, and waits for the mark that comes beside it. */
const type = async (page, line) => {
  const marks = page.locator("tn-marks .mark");
  const before = await marks.count();
  await page.locator("tn-terminal .xterm-helper-textarea").first().focus();
  await page.keyboard.type(`${line}\n`);
  await marks.nth(before).waitFor();
};

test("each command has a mark, which unfolds what it set off while it comes", async (t) => {
  const page = await site.visit(t);
  await type(page, CREATE);
  const text = await terminalText(page);
  await page.locator("tn-marks .mark").click();
  const parts = page.locator("tn-marks .parts button");
  // It is open before the pods run, and fills.
  await parts.filter({ hasText: /3 started · / }).waitFor();
  assert.match(
    (await parts.allInnerTexts()).join(" → "),
    /^POST deployments 201 · 12 ms → deployment controller made rs nginx-7d4f9c6b58 → 3 pods → node-/,
  );
  // The terminal's text is what it was: nothing is written into it.
  assert.equal(await terminalText(page), text);
  await type(page, "kubectl get pods");
  assert.equal(await page.locator("tn-marks .mark").count(), 2);
  // Beside the line that they are of.
  const boxes = await Promise.all(
    [0, 1].map((i) => page.locator("tn-marks .mark").nth(i).boundingBox()),
  );
  const row = await page
    .locator("tn-terminal .xterm-rows > div", { hasText: CREATE })
    .first()
    .boundingBox();
  assert.ok(Math.abs(boxes[0].y - row.y) <= 2, `${boxes[0].y} beside ${row.y}`);
  assert.ok(boxes[1].y > boxes[0].y);
});

test("what a part is about lights up on the map, and its objects lead to the inspector", async (t) => {
  const page = await site.visit(t);
  await type(page, CREATE);
  await page.locator("tn-marks .mark").click();
  const parts = page.locator("tn-marks .parts button");
  await parts.filter({ hasText: /3 started · / }).waitFor();
  await parts.filter({ hasText: "3 pods" }).hover();
  await page.locator("tn-map .pod[data-pointed]").nth(2).waitFor();
  await screenshot(page, "marks-desktop-light");
  assert.deepEqual(await violations(page), []);
  await parts.filter({ hasText: /POST/ }).hover();
  await page.locator("tn-map .pod[data-pointed]").first().waitFor({ state: "detached" });
  await page.locator("tn-marks .object", { hasText: "pods default/" }).first().click();
  await page.locator("tn-inspector article", { hasText: "pod/nginx-" }).waitFor();
  await parts.first().click();
  await page.locator("tn-trace tn-step h2", { hasText: /POST .*deployments/ }).waitFor();
});

test("by keyboard: to the mark, from mark to mark, into it and back", async (t) => {
  const page = await site.visit(t);
  await type(page, CREATE);
  await type(page, "kubectl get pods");
  const focused = () =>
    page.evaluate(() => {
      let e = document.activeElement;
      while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
      return e.getAttribute("aria-label") ?? e.textContent.trim();
    });
  await page.keyboard.press("Control+Shift+ArrowUp");
  await page.waitForFunction(() => document.activeElement.localName === "tn-terminal");
  const reaches = async (words) => {
    for (let i = 0; i < 50 && !(await focused()).includes(words); i++)
      await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
    assert.ok((await focused()).includes(words), await focused());
  };
  await reaches("set off: kubectl get pods");
  await page.keyboard.press("ArrowUp");
  await reaches(`set off: ${CREATE}`);
  await page.keyboard.press("Enter");
  await page.locator("tn-marks .parts button").first().waitFor();
  await page.keyboard.press("Tab");
  await reaches("POST deployments");
  await page.keyboard.press("Escape");
  await reaches(`set off: ${CREATE}`);
  await page.keyboard.press("Escape");
  await reaches("Terminal 1");
});

test("what a part is about lights up on a crowded map, too", async (t) => {
  const page = await site.visit(t);
  await type(page, "kubectl create deployment crowd --image=nginx --replicas=450");
  await page.locator("tn-map tn-map-canvas").waitFor();
  await page.locator("tn-marks .mark").click();
  const part = page.locator("tn-marks .parts button").filter({ hasText: "450 pods" });
  await part.waitFor();
  await part.hover();
  const lit = page.locator('tn-map-canvas [role="application"][aria-label*=" 450 pointed at."]');
  await lit.waitFor();
  await screenshot(page, "marks-crowd-light");
  await page.mouse.move(5, 5);
  await lit.waitFor({ state: "detached" });
});

test("names in a table lead to their objects, and nothing else does", async (t) => {
  const page = await site.visit(t);
  await type(page, CREATE);
  await type(page, "kubectl get pods");
  await page.locator("tn-map .pod").nth(2).waitFor();
  const name = await page.locator("tn-map .pod").first().getAttribute("aria-label");
  const [, pod] = /pod\/([\w-]+)/.exec(name);
  const row = page.locator("tn-terminal .xterm-rows > div", { hasText: pod }).first();
  const at = await row.boundingBox();
  await page.mouse.move(at.x + 40, at.y + at.height / 2);
  await page.locator("tn-map .pod[data-pointed]").waitFor();
  await page.mouse.click(at.x + 40, at.y + at.height / 2);
  await page.locator("tn-inspector article", { hasText: `pod/${pod}` }).waitFor();
  // The same by the mark: what the output names is listed.
  await page.locator("tn-marks .mark").nth(1).click();
  await page.locator("tn-marks .object", { hasText: pod }).waitFor();
});

test("a name that is no object's leads nowhere, and markup stays text", async (t) => {
  const page = await site.visit(t);
  await type(page, "kubectl get pods");
  await page.keyboard.type("kubectl echo pod/nobody deployment.apps/nothing pod/<img>\n");
  const row = page.locator("tn-terminal .xterm-rows > div", { hasText: /^pod\/nobody/ }).first();
  const at = await row.boundingBox();
  await page.mouse.move(at.x + 30, at.y + at.height / 2);
  await page.mouse.click(at.x + 30, at.y + at.height / 2);
  assert.equal(await page.locator("tn-terminal img, tn-marks img").count(), 0);
  assert.equal(await page.locator("tn-inspector article", { hasText: "nobody" }).count(), 0);
});

/** A finger goes so far, in a few moves. */
async function swipe(page, { x, y }) {
  const to = await page.context().newCDPSession(page);
  const touch = (type, ...touchPoints) =>
    to.send("Input.dispatchTouchEvent", { type, touchPoints });
  const from = { x: 250, y: 350 };
  await touch("touchStart", from);
  for (let i = 1; i <= 10; i++)
    await touch("touchMove", { x: from.x + (x * i) / 10, y: from.y + (y * i) / 10 });
  await touch("touchEnd");
  await to.detach();
}

test("a phone: wide tables scroll sideways, what is typed stays in sight", async (t) => {
  const page = await site.visit(t, "", { ...PHONE, newcomer: true });
  await page.getByRole("button", { name: "Terminal", exact: true }).click();
  // Whoever goes there can type at once.
  await type(page, CREATE);
  await type(page, "kubectl get pods");
  // One line each: what is wider than the phone does not wrap.
  const rows = await until(
    page,
    (rows) => rows.filter((row) => /^nginx-\S+ +[01]\/1 /.test(row)).length === 3,
    async () => {
      const rows = await page.locator("tn-terminal .xterm-rows > div").allInnerTexts();
      return rows.map((row) => row.replaceAll("\u00a0", " "));
    },
  );
  // The command is folded where the screen ends, before what fades there.
  const typed = rows.find((row) => /^\$.kubectl.create/.test(row));
  assert.ok(typed.length <= 48, typed);
  const ends = await page.evaluate(() => {
    const { renderRoot } = document.querySelector("tn-terminal");
    const row = [...renderRoot.querySelectorAll(".xterm-rows > div")].find((one) =>
      /^\$.kubectl.create/.test(one.textContent),
    );
    return [...row.querySelectorAll("span")].at(-1).getBoundingClientRect().right;
  });
  const [whole, sight, document_] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document
      .querySelector("tn-terminal")
      .renderRoot.querySelector(".sideways");
    return [scrollWidth, clientWidth, document.documentElement.scrollWidth];
  });
  assert.ok(whole > 700 && sight < 390, `${sight} of ${whole}`);
  // That a line goes on is seen at the edge, until its end is in sight.
  const edge = page.locator("tn-terminal .sideways[data-goes-on]");
  await type(page, "kubectl get pods -o wide");
  await edge.waitFor();
  await screenshot(page, "terminal-phone-goes-on");
  const sideways = page.locator("tn-terminal .sideways");
  const fades = await sideways.evaluate((one) => {
    const [, wide] = getComputedStyle(one).maskImage.match(/ (\d+)px\)$/);
    return one.getBoundingClientRect().right - Number(wide);
  });
  assert.ok(ends > fades - 40 && ends <= fades, `${ends} of ${fades}`);
  await sideways.evaluate((one) => (one.scrollLeft = one.scrollWidth));
  await edge.waitFor({ state: "detached" });
  await sideways.evaluate((one) => (one.scrollLeft = 0));
  await edge.waitFor();
  assert.equal(document_, 390);
  await page.locator("tn-marks .mark").first().click();
  await page.locator("tn-marks .parts button").first().waitFor();
  await screenshot(page, "marks-phone-light");
  assert.deepEqual(await violations(page), []);
});

test("a phone: a finger brings back what has gone up, and sideways what is behind the edge", async (t) => {
  const page = await site.visit(t, "", { ...PHONE, newcomer: true });
  await page.getByRole("button", { name: "Terminal", exact: true }).click();
  // Who scrolls is asked with the first move: what the terminal does not need is left to the page around it.
  await page.evaluate(() => {
    globalThis.taken = [];
    document.addEventListener("touchstart", () => (globalThis.moved = false));
    document.addEventListener("touchmove", (event) => {
      if (!globalThis.moved) globalThis.taken.push(event.defaultPrevented);
      globalThis.moved = true;
    });
  });
  const taken = () => page.evaluate(() => globalThis.taken.splice(0));
  await swipe(page, { x: 0, y: 300 });
  assert.deepEqual(await taken(), [false]);
  await page.keyboard.type("flood\r");
  const last = page.locator("tn-terminal .xterm-rows > div", { hasText: "1999" });
  await last.waitFor();
  await swipe(page, { x: 0, y: 300 });
  await last.waitFor({ state: "detached" });
  await swipe(page, { x: 0, y: -400 });
  await last.waitFor();
  assert.deepEqual(await taken(), [true, true]);
  await swipe(page, { x: 0, y: -300 });
  assert.deepEqual(await taken(), [false]);
  await swipe(page, { x: -150, y: -20 });
  await page.waitForFunction(() => {
    const { renderRoot } = document.querySelector("tn-terminal");
    return renderRoot.querySelector(".sideways").scrollLeft > 100;
  });
  assert.ok(await last.isVisible());
});
