/*
 * How smoothly the page draws, as `name value unit`: the gaps between frames while 300 pods start
 * on the real cluster, and with 10,000 pods on 100 nodes over the fake worker. 60 frames a second
 * are 16.7 ms. Figures, not a test: they are the machine's as much as the page's.
 *
 *   node scripts/e2e/frames.mjs          both; needs out/site, out/site-fake and out/e2e/serve
 *   node scripts/e2e/frames.mjs fake     the fake worker only; "real" the other one only
 */
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DESKTOP, launch, ready } from "./browser.mjs";
import { settled } from "./look.mjs";
import { serve } from "./site.mjs";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const browser = await launch();
try {
  if (process.argv[2] !== "real") await fake();
  if (process.argv[2] !== "fake") await real();
} finally {
  await browser.close();
}

async function visit(folder, body) {
  const site = await serve(folder);
  const context = await browser.newContext(DESKTOP);
  try {
    const page = await context.newPage();
    await page.goto(site.url);
    await ready(page);
    await page.locator(".boot").waitFor({ state: "detached" });
    await body(page);
  } finally {
    await context.close();
    await site.close();
  }
}

function fake() {
  return visit("out/site-fake", async (page) => {
    await page.evaluate(async () => {
      await globalThis.tabernetes.shell("nodes 97");
      await globalThis.tabernetes.kubectl("create deployment many --replicas=10000");
    });
    // Names are short: one or two of them may be the same.
    await page
      .locator("tn-counts", { hasText: /(999\d|10000)\s+pods/ })
      .waitFor({ timeout: 120_000 });
    await settled(page, 120_000);
    await measure(page, "map_10000_pods", async () => {
      // A hundred changes a second, the pointer on the way over the map.
      for (let i = 0; i < 40; i++) {
        await page.evaluate(
          (n) => void globalThis.tabernetes.kubectl(`create deployment more${n} --replicas=3`),
          i,
        );
        await page.mouse.move(100 + i * 15, 200 + i * 5);
        await pause(100); // the load itself: its pace, no wait
      }
    });
  });
}

function real() {
  return visit("out/site", (page) =>
    measure(page, "start_300_pods", async () => {
      await page.evaluate(() =>
        globalThis.tabernetes.kubectl("create deployment many --image=nginx --replicas=300"),
      );
      await page.evaluate(() =>
        globalThis.tabernetes.kubectl("rollout status deployment many --timeout=180s"),
      );
    }),
  );
}

async function measure(page, name, work) {
  await page.evaluate(() => {
    globalThis.gaps = [];
    let last = performance.now();
    const next = (now) => {
      globalThis.gaps.push(now - last);
      last = now;
      globalThis.measuring = requestAnimationFrame(next);
    };
    globalThis.measuring = requestAnimationFrame(next);
  });
  await work();
  const gaps = await page.evaluate(() => {
    cancelAnimationFrame(globalThis.measuring);
    return globalThis.gaps.slice(2);
  });
  gaps.sort((a, b) => a - b);
  const at = (part) => gaps[Math.min(gaps.length - 1, Math.floor(gaps.length * part))] ?? 0;
  console.log(`${name}_frame_p50 ${at(0.5).toFixed(1)} ms`);
  console.log(`${name}_frame_p95 ${at(0.95).toFixed(1)} ms`);
  console.log(
    `${name}_frames_per_second ${((1000 * gaps.length) / gaps.reduce((a, b) => a + b, 0)).toFixed(1)} 1/s`,
  );
}
