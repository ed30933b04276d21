/*
 * Names are data, over the fake worker (web/dev). objects.test.mjs tries the same attack on the real cluster.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, open, ready, terminalText } from "./browser.mjs";
import { COMMAND } from "./hostile.mjs";
import { serve } from "./site.mjs";

let browser;
let site;
before(async () => {
  browser = await launch();
  site = await serve("out/site-fake");
});
after(async () => {
  await browser.close();
  await site.close();
});

/** Puts an object into the fake cluster, as its owner would. */
const put = (page, kind, object) =>
  page.evaluate(
    async ([path, body]) => {
      const { ok, status } = await globalThis.tabernetes.fetch(path, { method: "PUT", body });
      if (!ok) throw new Error(`PUT ${path}: ${status}`);
    },
    [
      `/api/v1/${kind}/${encodeURIComponent(object.metadata.name)}`,
      JSON.stringify({ apiVersion: "v1", ...object }),
    ],
  );

const exists = (page, namespace) =>
  page.evaluate(
    (name) =>
      globalThis.tabernetes
        .fetch("/api/v1/namespaces")
        .then(async (r) =>
          (await r.json()).rows.some(({ object }) => object.metadata.name === name),
        ),
    namespace,
  );

function configMap(name, values) {
  const labels = Object.fromEntries(Object.entries(values).map(([k, v]) => [k, v]));
  const metadata = { name, namespace: "default", uid: `uid-${name}`, labels, annotations: labels };
  return { kind: "ConfigMap", metadata, data: labels };
}

test("what a program leaves on, and what the terminal answers it, is not there at the prompt", async (t) => {
  const page = await open(t, browser, site.url);
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

describe("a name that is a command", () => {
  const address = `api/v1/namespaces/default/configmaps/${encodeURIComponent(COMMAND)}`;
  const visit = async (t, show) => {
    const page = await open(t, browser, `${site.url}#/${address}${show}`);
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
