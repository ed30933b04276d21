/*
 * What an element costs the page that it stands in, as `name value unit`: what is transferred before the click,
 * and click → ready of the first visit and of RUNS later ones (3 unless told; the median), hosts in turns, each
 * with a profile of its own. Needs out/site, a published site (PUBLISHED, out/publish unless told) and
 * out/e2e/serve.
 *
 *   negotiated   the whole module, unpacked by the browser, as `make run` serves it
 *   parts        a published site, unpacked by the Worker at each visit
 */
import { inTurns } from "./bench-turns.mjs";

const RUNS = Number(process.env.RUNS ?? 3);
const HOSTS = [
  { name: "negotiated", dir: "out/site", serviceWorkers: "block" },
  { name: "parts", dir: process.env.PUBLISHED ?? "out/publish", serviceWorkers: "block" },
];
/** Somebody's page; beside the site, whose files are all that it loads. */
const PAGE = `<!doctype html><title>Somebody's</title><script type="module" src="sdk/elements.js"></script>
  <tabernetes-terminal style="height: 400px"></tabernetes-terminal>`;

await inTurns(HOSTS, RUNS, "click_to_ready", visit);

/** Milliseconds from the press until a prompt is there. Before it, at a first visit, the bytes that came are printed, head and body. */
async function visit({ name, later, context, site }) {
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
    if (!later) console.log(`before_click_${name} ${transferred} bytes`);
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
    return clickToReady;
  } finally {
    await page.close();
  }
}
