/* A browser that forbids the page all storage (cookies are blocked for it), over the fake worker (web/dev). */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { ARGS, DESKTOP, ready, sh } from "./browser.mjs";
import { serve } from "./site.mjs";

/** What Chromium's settings call "block all cookies". */
const BLOCKED = { profile: { default_content_setting_values: { cookies: 2 } } };

let profile;
let site;
let context;
before(async () => {
  profile = mkdtempSync(join(tmpdir(), "no-storage-"));
  mkdirSync(join(profile, "Default"));
  writeFileSync(join(profile, "Default", "Preferences"), JSON.stringify(BLOCKED));
  site = await serve("out/site-fake");
  context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ARGS,
    ...DESKTOP,
  });
});
after(async () => {
  await context?.close();
  await site?.close();
  rmSync(profile, { recursive: true, force: true });
});

test("where the browser forbids all storage a cluster starts, says so, and is reset", async () => {
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error.stack ?? error)));
  page.on("dialog", (dialog) => void dialog.accept());
  await page.goto(site.url);
  for (const storage of ["localStorage", "sessionStorage"]) {
    const refused = await page.evaluate((name) => {
      try {
        return String(globalThis[name].length);
      } catch (error) {
        return error.name;
      }
    }, storage);
    assert.equal(refused, "SecurityError", `${storage} is there: nothing would be tested`);
  }
  await ready(page);
  await sh(page, "kubectl get pods");
  await page.evaluate(() => (location.hash = "#/clusters"));
  await page.locator("tn-clusters").getByText("Nothing can be kept here").waitFor();

  await page.evaluate(() => {
    location.hash = "#/settings";
    globalThis.before = true;
  });
  const view = page.locator("tn-settings");
  await view.getByRole("checkbox", { name: "Keep it in this browser" }).check();
  await view.getByRole("button", { name: /start a new cluster/i }).click();
  await page.waitForFunction(() => !globalThis.before && globalThis.tabernetes);
  await ready(page);
  await sh(page, "kubectl get pods");
  assert.deepEqual(errors, []);
});
