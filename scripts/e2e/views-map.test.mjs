/*
 * What is done on the map, over the fake worker: each action with the line that it stands for, by
 * pointer, by keys and on a phone; and what is waited for there.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { PHONE, screenshot } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

const run = (page, line) => page.evaluate((text) => globalThis.tabernetes.shell(text), line);
const shows = (page, text) =>
  page.waitForFunction(
    (wanted) => document.querySelector("tn-terminal").text().includes(wanted),
    text,
  );
const node = (page, name) => page.locator(`tn-map .column[aria-label='Node ${name}'] .head`);
const deed = (page, verb) => page.locator("tn-map .deeds").getByRole("button", { name: verb });
const title = (page) => page.locator("tn-inspector h2").first();
const FIVE = "kubectl create deployment nginx --image=nginx --replicas=5";

describe("on the map", () => {
  test("a pod's name is there in whole, in as many lines as it takes, beside a long reason", async (t) => {
    const page = await site.visit(t, "map", { viewport: { width: 1100, height: 800 } });
    await run(page, "kubectl create deployment a-name-of-some-length --image=missing");
    const pod = page.locator("tn-map button.pod", { hasText: "ImagePullBackOff" });
    await pod.waitFor();
    const widths = await pod.evaluate((e) => {
      const name = e.querySelector(".name").getBoundingClientRect();
      const [status, column] = [e.querySelector(".status"), e.getBoundingClientRect()];
      const words = document.createRange();
      words.selectNodeContents(e.querySelector(".name"));
      const lines = [...words.getClientRects()];
      return {
        cut: lines.some(
          ({ right, bottom }) => right > name.right + 1 || bottom > column.bottom + 1,
        ),
        lines: new Set(lines.map(({ top }) => Math.round(top))).size,
        reason: status.getBoundingClientRect().width,
        outside: status.getBoundingClientRect().right - column.right,
      };
    });
    assert.ok(
      !widths.cut && widths.lines > 1 && widths.reason > 20 && widths.outside < 0,
      JSON.stringify(widths),
    );
    await screenshot(page, "views-map-long-reason");
  });

  test("a node is cordoned, stopped, healed and removed by lines that stand there", async (t) => {
    const page = await site.visit(t);
    await run(page, FIVE);
    await page.locator("tn-map .column[aria-label^='Node '] button.pod").nth(4).waitFor();
    await node(page, "node-2").click();
    await deed(page, "Drain node-2").waitFor();
    assert.deepEqual(await page.locator("tn-map .deeds code").allInnerTexts(), [
      "kubectl cordon node-2",
      "kubectl drain node-2 --ignore-daemonsets --delete-emptydir-data --force",
      "minikube node stop node-2",
      "minikube node delete node-2",
      "minikube ssh -n node-2 -- sudo poweroff",
    ]);
    assert.deepEqual(await violations(page), []);
    await screenshot(page, "views-map-actions-desktop");
    await deed(page, "Cordon node-2").click();
    await shows(page, "$ kubectl cordon node-2");
    await deed(page, "Uncordon node-2").click();
    await shows(page, "$ kubectl uncordon node-2");
    await deed(page, "Stop node-2").click();
    await shows(page, "$ minikube node stop node-2");
    // Its pods leave in five minutes, and that becomes less.
    const left = page.locator("tn-map .column[aria-label='Node node-2'] .eviction b");
    const first = await left.innerText();
    assert.match(first, /^[45]:\d\d$/);
    await page.waitForFunction(
      (before) =>
        document.querySelector("tn-map").shadowRoot.querySelector(".eviction b").textContent !==
        before,
      first,
    );
    await deed(page, "Heal node-2").click();
    await shows(page, "$ minikube node start node-2");
    await left.waitFor({ state: "detached" });
    await deed(page, "Remove node-2").click();
    const dialog = page.getByRole("dialog", { name: "Remove node/node-2?" });
    await dialog.getByText("minikube node delete node-2").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await node(page, "node-2").count(), 1);
    await deed(page, "Remove node-2").click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await shows(page, "$ minikube node delete node-2");
    await node(page, "node-2").waitFor({ state: "detached" });
  });

  test("a pod is deleted by keys alone", async (t) => {
    const page = await site.visit(t);
    await run(page, FIVE);
    const pods = page.locator("tn-map .column[aria-label^='Node '] button.pod");
    await pods.nth(4).waitFor();
    await page.locator("tn-map [data-item][tabindex='0']").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Delete");
    const dialog = page.getByRole("dialog", { name: /^Delete pod\/nginx-/ });
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    // The menu's key leads to what can be done.
    await pods.first().focus();
    await page.keyboard.press("Shift+F10");
    await page.waitForFunction(() =>
      document.querySelector("tn-map").shadowRoot.activeElement?.matches(".deeds button"),
    );
    await page.keyboard.press("Enter");
    const line = await dialog.locator("code").innerText();
    await page.keyboard.press("Enter");
    await shows(page, `$ ${line}`);
    await pods.nth(4).waitFor({ state: "detached" });
  });

  // Of lit-html 3.3.1 to 3.3.3 two comments each (github.com/lit/lit/issues/5298): package.json has 3.3.0.
  test("pods that went leave nothing in the document", async (t) => {
    const page = await site.visit(t, "map");
    const squares = page.locator("tn-map .pod");
    const comments = () =>
      page.evaluate(() => {
        const walker = document.createTreeWalker(
          document.querySelector("tn-map").shadowRoot,
          globalThis.NodeFilter.SHOW_COMMENT,
        );
        let count = 0;
        while (walker.nextNode()) count++;
        return count;
      });
    const comeAndGo = async () => {
      await run(page, FIVE);
      await page.locator("tn-map button.pod").nth(4).waitFor();
      const labels = await page
        .locator("tn-map button.pod")
        .evaluateAll((all) => all.map((pod) => pod.title));
      for (const label of labels)
        await run(page, `kubectl delete pod ${/^pod\/([^:]+)/.exec(label)[1]}`);
      // Their places are kept for a while.
      await squares.first().waitFor({ state: "detached" });
      return comments();
    };
    const once = await comeAndGo();
    await comeAndGo();
    assert.equal(await comeAndGo(), once);
  });

  test("a finger that stays leads to the actions, and the map stays in front", async (t) => {
    const page = await site.visit(t, "", PHONE);
    await run(page, FIVE);
    await page.getByRole("button", { name: "Map" }).click();
    const head = node(page, "node-1");
    await head.waitFor();
    await head.dispatchEvent("contextmenu", { bubbles: true, composed: true });
    const stop = deed(page, "Stop node-1");
    await stop.waitFor();
    assert.ok((await stop.boundingBox()).height >= 36);
    assert.deepEqual(await violations(page), []);
    await screenshot(page, "views-map-actions-phone");
    await stop.click();
    await shows(page, "$ minikube node stop node-1");
  });

  test("the column of a namespace is the way to it", async (t) => {
    const page = await site.visit(t);
    await run(page, FIVE);
    await page.goto(`${site.url}#/map?by=namespace`);
    await page.locator("tn-map .column[aria-label='default'] .head").click();
    await title(page)
      .filter({ hasText: /^\s*namespaces?\/default/ })
      .waitFor();
    await deed(page, "Delete default").waitFor();
  });

  test("a ring empties until a container is started again", async (t) => {
    const page = await site.visit(t);
    await run(page, "kubectl create deployment crash --image=waits");
    await page.locator("tn-map .pod .ring circle").waitFor({ state: "attached" });
    const ring = () =>
      page.evaluate(() => {
        const circle = document.querySelector("tn-map").shadowRoot.querySelector(".ring circle");
        const [animation] = circle.getAnimations();
        return {
          total: animation.effect.getComputedTiming().duration,
          done: animation.effect.getComputedTiming().progress,
          offset: Number.parseFloat(getComputedStyle(circle).strokeDashoffset),
        };
      });
    const before = await ring();
    assert.equal(before.total, 40_000);
    await page.waitForFunction((done) => {
      const circle = document.querySelector("tn-map").shadowRoot.querySelector(".ring circle");
      return circle.getAnimations()[0].effect.getComputedTiming().progress > done + 0.01;
    }, before.done);
    const after = await ring();
    assert.ok(after.offset > before.offset, `${after.offset} after ${before.offset}`);
    await screenshot(page, "views-map-ring-desktop");
  });
});
