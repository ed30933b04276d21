/* Tests that end a page's renderer in the middle of something, and look what is there after it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { ARGS, DESKTOP } from "./browser.mjs";
import { serve } from "./site.mjs";

/** A browser that keeps what pages store, over the built page; `close` ends it, and what it has kept goes. */
export async function keeping(name) {
  const profile = mkdtempSync(join(tmpdir(), `${name}-`));
  const site = await serve("out/site");
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ARGS,
    ...DESKTOP,
  });
  const devtools = await context.browser().newBrowserCDPSession();
  const close = async () => {
    await context.close();
    await site.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { site, context, devtools, close };
}

/** SIGKILL to the renderers of this browser; `devtools` is a CDP session of its own. */
export async function kill(devtools, page, timeout) {
  const crashed = page.waitForEvent("crash", { timeout });
  const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
  for (const { type, id } of processInfo) if (type === "renderer") process.kill(id, "SIGKILL");
  await crashed;
}

/** What there is: names of ConfigMaps, and the revision of the list. */
export function there(page) {
  return page.evaluate(async () => {
    const response = await globalThis.tabernetes.fetch("/api/v1/namespaces/default/configmaps");
    const { items, metadata } = await response.json();
    return {
      names: items.map((item) => item.metadata.name),
      revision: Number(metadata.resourceVersion),
    };
  });
}
