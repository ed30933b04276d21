/*
 * Names are data: a table of hostile names and values (hostile.mjs) goes through every view, over
 * the fake worker (web/dev); through what a view shows on a press only, in views-hostile-parts.test.mjs.
 * objects.test.mjs tries the same attack on the real cluster.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, ready, screenshot, terminalText } from "./browser.mjs";
import { COMMAND, NAMES, VALUES } from "./hostile.mjs";
import { configMap, event, exists, go, node, pod, put, unharmed } from "./hostile-objects.mjs";
import { answered, settled } from "./look.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

/** Every button of the inspector's head can be reached: no name or value covers it or moves it out. */
async function reachable(page, where) {
  const outside = await page.evaluate(() => {
    const inspector = document.querySelector("tn-inspector");
    const box = inspector.getBoundingClientRect();
    return [...inspector.shadowRoot.querySelectorAll("h2 button, .actions button, [role=tab]")]
      .map((button) => [button.textContent.trim(), button.getBoundingClientRect()])
      .filter(([, b]) => b.left < box.left || b.right > box.right + 1 || b.bottom > box.bottom)
      .map(([text]) => text);
  });
  assert.deepEqual(outside, [], where);
}

/** The views by their address, with what is there once they have drawn what the cluster has. */
const VIEWS = {
  map: "tn-map button.pod",
  "api/v1/configmaps": "tn-grid tr[data-index]",
  "api/v1/pods": "tn-grid tr[data-index]",
  nodes: "tn-nodes table",
  events: "tn-events-page table",
  objects: "tn-objects",
};
const TABS = ["summary", "yaml", "describe", "events", "tree"];

/** Waits until a tab of the inspector shows what the cluster has answered. */
async function shown(page, show) {
  const tab = page.locator(`tn-inspector #tab-${show}[aria-selected=true]`);
  await tab.waitFor({ state: "attached" });
  const content = { summary: "#tabpanel h2, #tabpanel dl", yaml: "tn-object-yaml .cm-line" };
  const selector = content[show] ?? `tn-object-${show}`;
  await page.locator(`tn-inspector ${selector}`).first().waitFor({ state: "attached" });
  // What is drawn is 64 kB many times over: to compare it with itself takes longer than to draw it.
  await answered(page);
}

for (const [device, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  test(`hostile names and values in every view: ${device}`, async (t) => {
    const page = await site.open(t, site.url, options);
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await ready(page);
    for (const [kind, name] of Object.entries(NAMES)) {
      await put(page, "configmaps", configMap(name, VALUES));
      await put(page, "pods", pod(`pod-${kind}`, VALUES[kind]));
      await put(page, "events", event(`pod-${kind}`, VALUES[kind]));
      await put(page, "nodes", node(`node-${name.slice(0, 1000)}`, VALUES[kind]));
    }
    for (const [view, selector] of Object.entries(VIEWS)) {
      await go(page, `#/${view}`);
      await page.locator(selector).first().waitFor({ state: "attached" });
      await settled(page);
      await unharmed(page, view);
      await screenshot(page, `hostile-${view.replaceAll("/", "-")}-${device}`);
    }
    // A phone draws the same texts: those that could make it wider, or turn a line around, are enough there.
    const names = Object.entries(NAMES).filter(
      ([kind]) => options !== PHONE || ["markup", "backwards", "lines", "long"].includes(kind),
    );
    for (const [kind, name] of names) {
      const path = `api/v1/namespaces/default/configmaps/${encodeURIComponent(name)}`;
      for (const show of TABS) {
        await go(page, `#/${path}?show=${show}`);
        await shown(page, show);
        await unharmed(page, `${kind}, ${show}`);
        await reachable(page, `${kind}, ${show}`);
      }
      await screenshot(page, `hostile-name-${kind}-${device}`);
    }
    for (const [kind] of names) {
      for (const show of [...TABS, "logs"]) {
        await go(page, `#/api/v1/namespaces/default/pods/pod-${kind}?show=${show}`);
        await shown(page, show);
        await unharmed(page, `pod ${kind}, ${show}`);
        await reachable(page, `pod ${kind}, ${show}`);
      }
    }
    await go(page, "#/api/v1/namespaces/default/pods/pod-markup");
    await shown(page, "summary");
    await screenshot(page, `hostile-pod-markup-${device}`);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(errors, []);
  });
}

describe("a name that is a command", () => {
  const address = `api/v1/namespaces/default/configmaps/${encodeURIComponent(COMMAND)}`;
  const visit = async (t, show) => {
    const page = await site.open(t, `${site.url}#/${address}${show}`);
    await ready(page);
    await put(page, "configmaps", configMap(COMMAND, {}));
    return page;
  };

  test("Describe describes it", async (t) => {
    const page = await visit(t, "?show=describe");
    await page.locator("tn-object-describe", { hasText: `Name:         ${COMMAND}` }).waitFor();
    assert.equal(await exists(page, "pwned"), false);
  });

  test("what is run, typed, copied or asked about it is one command", async (t) => {
    const page = await visit(t, "");
    const inspector = page.locator("tn-inspector");
    await inspector.getByRole("button", { name: /^Run, Describe/ }).click();
    await page.waitForFunction(
      (text) => document.querySelector("tn-terminal").text().includes(text),
      `Name:         ${COMMAND}`,
    );
    await inspector.getByRole("button", { name: /^Type, Delete/ }).click();
    await page.waitForFunction(
      (text) => document.querySelector("tn-terminal").text().includes(text),
      `kubectl delete 'configmap/${COMMAND}'`,
    );
    await inspector.getByRole("button", { name: "Delete", exact: true }).click();
    await page.locator("dialog.ask code", { hasText: `'configmap/${COMMAND}'` }).waitFor();
    await page.keyboard.press("Escape");
    const lines = await inspector.locator(".commands code").allInnerTexts();
    for (const line of lines) {
      const { code } = await page.evaluate((l) => globalThis.tabernetes.shell(l), line);
      assert.ok(Number.isInteger(code), line);
      assert.equal(await exists(page, "pwned"), false, line);
    }
    assert.match(
      await terminalText(page),
      /kubectl describe 'configmap\/x;kubectl create ns pwned'/,
    );
  });
});

test("what a program leaves on, and what the terminal answers it, is not there at the prompt", async (t) => {
  const page = await site.open(t);
  await ready(page);
  await page.keyboard.type("echo before\r");
  await page.waitForFunction(() => /^before$/m.test(document.querySelector("tn-terminal").text()));
  // Another screen, reports of the mouse, line drawing; then two questions to the terminal.
  const esc = "$'\\033'";
  const left = `${esc}'[?1049h'${esc}'[?1003h'${esc}'(0'`;
  const asks = `${esc}']11;?'$'\\007'${esc}'P$qm'$'\\033\\134'`;
  await page.keyboard.type(`echo ${left}${asks}\r`);
  await page.keyboard.type("echo after\r");
  await page.waitForFunction(() => /^after$/m.test(document.querySelector("tn-terminal").text()));
  const text = await terminalText(page);
  assert.match(text, /^before$/m, "the main screen is back");
  assert.doesNotMatch(text, /rgb:|not found/);
  await page.mouse.move(200, 700);
  await page.mouse.move(260, 760);
  await page.keyboard.type("echo still\r");
  await page.waitForFunction(() => /^still$/m.test(document.querySelector("tn-terminal").text()));
});
