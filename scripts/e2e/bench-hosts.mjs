/*
 * What a visit takes by how its host serves the module, as `name value unit`: open → /readyz of the
 * first visit and of RUNS later ones (3 unless told; the median), hosts in turns, each with a profile of
 * its own. Needs out/site, out/publish (scripts/publish) and out/e2e/serve. SITES=out/site:../other/out/site
 * measures builds in place of hosts, each served whole; their figures end in @1, @2.
 *
 *   negotiated   the whole module, unpacked by the browser, as `make run` serves it
 *   parts        a published site, unpacked by the Worker at each visit (no service worker)
 *   kept         a published site, from its service worker after the first visit; each goes on working for a
 *                while after the module was asked for once more (web/offline/code.ts)
 */
import { setTimeout as pause } from "node:timers/promises";
import { inTurns } from "./bench-turns.mjs";

const RUNS = Number(process.env.RUNS ?? 3);
const SITES = process.env.SITES?.split(":");
const HOSTS = SITES?.map((dir, i) => ({ name: `@${i + 1}`, dir, serviceWorkers: "block" })) ?? [
  { name: "negotiated", dir: "out/site", serviceWorkers: "block" },
  { name: "parts", dir: process.env.PUBLISHED ?? "out/publish", serviceWorkers: "block" },
  { name: "kept", dir: process.env.PUBLISHED ?? "out/publish", serviceWorkers: "allow" },
];

/** Of the host that keeps. */
let visits = 0;
/** What V8 compiles next it hands over with all the rest, two seconds later. */
const HANDED_OVER_MS = 5000;

await inTurns(HOSTS, RUNS, "open_to_readyz", visit);

/** Milliseconds from opening the page until the API answers; what a browser keeps is kept by then. */
async function visit({ context, site, serviceWorkers, name }) {
  const page = await context.newPage();
  try {
    await page.goto(site.url);
    const time = await page.evaluate(() =>
      globalThis.tabernetes.fetch("/readyz").then(() => performance.now()),
    );
    await page.evaluate(() => globalThis.tabernetes.ready);
    // Compiled code is kept of what has run for a while.
    await page.evaluate(async () => {
      const { shell } = globalThis.tabernetes;
      await shell("kubectl create deployment many --image=nginx --replicas=30");
      await shell("kubectl rollout status deployment many --timeout=120s");
    });
    if (name === "kept" && serviceWorkers === "allow") {
      await page.evaluate(() => (location.hash = "#/settings"));
      await page
        .locator("tn-settings")
        .getByText(/A visit needs none/)
        .waitFor({ timeout: 120_000 });
      await page.waitForFunction(codeIsAsked, (visits += 1), { timeout: 180_000, polling: 1000 });
      await page.evaluate(async () => {
        const { shell } = globalThis.tabernetes;
        await shell("kubectl scale deployment many --replicas=40");
        await shell("kubectl rollout status deployment many --timeout=120s");
      });
      await pause(HANDED_OVER_MS);
    }
    return time;
  } finally {
    await page.close();
  }
}

/** Whether web/offline/code.ts has done its part in so many visits, or in as many as it does. */
async function codeIsAsked(visit) {
  const cache = await globalThis.caches.open("tabernetes-module");
  for (const request of await cache.keys()) {
    if (!request.url.endsWith(".code")) continue;
    return Number(await (await cache.match(request)).text()) >= Math.min(visit, 3);
  }
  return false;
}
