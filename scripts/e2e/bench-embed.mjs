/*
 * What an element costs the page that it stands in, as `name value unit`: what is transferred before the click,
 * and click → ready of the first visit and of RUNS later ones (3 unless told; the median), hosts in turns, each
 * with a profile of its own. Needs out/site, a published site (PUBLISHED, out/publish unless told) and
 * out/e2e/serve.
 *
 *   negotiated   the whole module, unpacked by the browser, as `make run` serves it
 *   parts        a published site, unpacked by the Worker at each visit
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { ARGS } from "./browser.mjs";
import { serve } from "./site.mjs";

const RUNS = Number(process.env.RUNS ?? 3);
const HOSTS = [
  { name: "negotiated", dir: "out/site" },
  { name: "parts", dir: process.env.PUBLISHED ?? "out/publish" },
];
/** Somebody's page; beside the site, whose files are all that it loads. */
const PAGE = `<!doctype html><title>Somebody's</title><script type="module" src="sdk/elements.js"></script>
  <tabernetes-terminal style="height: 400px"></tabernetes-terminal>`;

try {
  for (const host of HOSTS) {
    host.profile = mkdtempSync(join(tmpdir(), "bench-embed-"));
    host.site = await serve(host.dir);
    host.context = await chromium.launchPersistentContext(host.profile, {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ARGS,
      serviceWorkers: "block",
    });
    const { transferred, clickToReady } = await visit(host);
    console.log(`before_click_${host.name} ${transferred} bytes`);
    console.log(`first_click_to_ready_${host.name} ${clickToReady.toFixed(0)} ms`);
    host.later = [];
  }
  for (let run = 0; run < RUNS; run++) {
    for (const host of HOSTS) host.later.push((await visit(host)).clickToReady);
  }
  for (const { name, later } of HOSTS) {
    const [median] = later.toSorted((a, b) => a - b).slice(later.length >> 1);
    console.log(`later_click_to_ready_${name} ${median.toFixed(0)} ms`);
    console.error(`  ${name}: ${later.map((time) => time.toFixed(0)).join(" ")}`);
  }
} finally {
  for (const { profile, site, context } of HOSTS) {
    await context?.close();
    await site?.close();
    if (profile) rmSync(profile, { recursive: true, force: true });
  }
}

/** Bytes that came, head and body, before the button is pressed; then milliseconds until a prompt is there. */
async function visit({ context, site }) {
  const page = await context.newPage();
  try {
    const address = new URL("somebodys.html", site.url).href;
    await page.route(address, (route) => route.fulfill({ contentType: "text/html", body: PAGE }));
    await page.goto(address);
    const element = page.locator("tabernetes-terminal");
    await element.getByText(/MB are downloaded, once/).waitFor();
    await page.waitForLoadState("networkidle");
    const transferred = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .reduce((sum, { transferSize }) => sum + transferSize, 0),
    );
    const clickToReady = await element.evaluate(
      (terminal) =>
        new Promise((resolve, reject) => {
          const begin = performance.now();
          terminal.addEventListener("tabernetes-state", ({ detail }) => {
            if (detail === "ready") resolve(performance.now() - begin);
            if (detail === "failed") reject(new Error(terminal.shadowRoot.textContent));
          });
          terminal.shadowRoot.querySelector("button").click();
        }),
    );
    // Compiled code is kept of what has run for a while.
    await page.evaluate(async () => {
      const { createCluster } = await import("./sdk/tabernetes.js");
      const cluster = createCluster({ nodes: 1 });
      await cluster.ready;
      await cluster.shell("kubectl create deployment many --image=nginx --replicas=30");
      await cluster.shell("kubectl rollout status deployment many --timeout=120s");
      cluster.dispose();
    });
    return { transferred, clickToReady };
  } finally {
    await page.close();
  }
}
