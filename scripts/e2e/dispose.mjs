/*
 * Ten clusters, one after the other, in one page that is not ours: made, ready, disposed of. Prints what
 * the page's process holds after each. `node scripts/e2e/dispose.mjs` on the built site; ROUNDS changes
 * how many.
 */
import { launch } from "./browser.mjs";
import { until } from "./look.mjs";
import { residentOfRenderer } from "./resident.mjs";
import { serve } from "./site.mjs";

const ROUNDS = Number(process.env.ROUNDS ?? 10);

const site = await serve("out/site");
const browser = await launch(["--js-flags=--expose-gc"]);
try {
  const page = await browser.newPage();
  // A path that the site has, with nothing on it that starts a cluster.
  await page.goto(new URL("assets/manifest.json", site.url).href);
  const figure = (name, bytes) => console.log(`${name} ${(bytes / 1e6).toFixed(1)} MB`);
  figure("renderer_0_clusters", residentOfRenderer());
  const after = [];
  for (let round = 1; round <= ROUNDS; round++) {
    await page.evaluate(async (address) => {
      const { createCluster } = await import(address);
      const cluster = createCluster({ nodes: 1 });
      await cluster.ready;
      await cluster.kubectl("create deployment web --image=nginx --replicas=5");
      await cluster.kubectl("rollout status deployment/web");
      cluster.dispose();
    }, new URL("sdk/tabernetes.js", site.url).href);
    await until(
      page,
      (workers) => workers === 0,
      () => page.workers().length,
    );
    await page.evaluate(() => globalThis.gc());
    await settled();
    after.push(residentOfRenderer());
    figure(`renderer_${round}_clusters`, after.at(-1));
  }
  const half = after.slice(Math.floor(after.length / 2));
  console.log(`growth_of_second_half ${(half.at(-1) / half[0]).toFixed(2)} x`);
} finally {
  await browser.close();
  await site.close();
}

/** Until what the process holds stays: the memory of a Worker that has ended is given back later. */
async function settled() {
  for (let before = Infinity; ;) {
    const now = residentOfRenderer();
    if (now > before * 0.99) return;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}
