/* What is left of clusters that have been disposed of: nothing, if all goes well. */
import { until } from "./look.mjs";
import { residentOfRenderer } from "./resident.mjs";

/**
 * Makes clusters one after the other in a page of Chromium that was begun with --js-flags=--expose-gc, each with
 * pods, and disposes of each once it has worked. Returns the bytes that the page's process holds `before` them,
 * with the first one `alive`, and `after` each; `told` gets the last as they come.
 */
export async function givenBack(page, site, rounds, told = () => undefined) {
  // A path that the site has, with nothing on it that starts a cluster.
  await page.goto(new URL("assets/manifest.json", site).href);
  const before = residentOfRenderer();
  told(0, before);
  let alive;
  const after = [];
  for (let round = 1; round <= rounds; round++) {
    await page.evaluate(async (address) => {
      const { createCluster } = await import(address);
      const cluster = (globalThis.cluster = createCluster({ nodes: 1 }));
      await cluster.ready;
      await cluster.kubectl("create deployment web --image=nginx --replicas=5");
      await cluster.kubectl("rollout status deployment/web");
    }, new URL("sdk/tabernetes.js", site).href);
    alive ??= residentOfRenderer();
    await page.evaluate(() => {
      globalThis.cluster.dispose();
      delete globalThis.cluster;
    });
    await until(
      page,
      (workers) => workers === 0,
      () => page.workers().length,
      60_000,
    );
    await page.evaluate(() => globalThis.gc());
    await settled();
    after.push(residentOfRenderer());
    told(round, after.at(-1));
  }
  return { before, alive, after };
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
