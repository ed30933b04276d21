/*
 * Memory with time, on the built page in Chromium; `scripts/bench-memory`. A module's memory never
 * shrinks, so that each figure is the most there was until then.
 */
import { launch } from "./browser.mjs";
import { residentOfRenderer } from "./resident.mjs";
import { serve } from "./site.mjs";

const ROLLOUTS = Number(process.env.ROLLOUTS ?? 64);
const PODS = 20;

const site = await serve(process.env.SITE ?? "out/site");
const browser = await launch();
try {
  const page = await browser.newPage();
  await page.goto(site.url);
  await page.evaluate(() => globalThis.tabernetes.ready);
  const [worker] = page.workers();
  await kubectl(page, `create deployment rolled --image=nginx --replicas=${PODS}`);
  await kubectl(page, "rollout status deployment/rolled --timeout=180s");
  for (let rollouts = 0, told = 8; ; rollouts++) {
    if (rollouts === 0 || rollouts === told || rollouts === ROLLOUTS) {
      if (rollouts === told) told *= 2;
      const linear = await worker.evaluate(() => globalThis.tabernetesMemory.buffer.byteLength);
      console.log(`wasm_memory_${rollouts}_rollouts ${(linear / 1e6).toFixed(1)} MB`);
      console.log(`renderer_${rollouts}_rollouts ${(residentOfRenderer() / 1e6).toFixed(1)} MB`);
    }
    if (rollouts === ROLLOUTS) break;
    await kubectl(page, "rollout restart deployment/rolled");
    await kubectl(page, "rollout status deployment/rolled --timeout=180s");
  }
} finally {
  await browser.close();
  await site.close();
}

async function kubectl(page, line) {
  const { code, stderr } = await page.evaluate((l) => globalThis.tabernetes.kubectl(l), line);
  if (code !== 0) throw new Error(`${line}: ${stderr}`);
}
