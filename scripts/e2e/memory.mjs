/*
 * Memory with time, on the built page in Chromium; `scripts/bench-memory`. A module's memory never
 * shrinks, so that each figure is the most there was until then. The cluster is kept by the browser:
 * what its files come to is counted as well. BOUND has it fail at the first figure beyond what a tab has.
 */
import { setTimeout as delay } from "node:timers/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { allocators } from "./allocators.mjs";
import { ARGS, ready } from "./browser.mjs";
import { filesOf } from "./kept-memory.mjs";
import { renderer } from "./resident.mjs";
import { serve } from "./site.mjs";

const ROLLOUTS = Number(process.env.ROLLOUTS ?? 64);
/** Seconds from the beginning of a rollout to that of the next, at least. */
const EVERY = Number(process.env.EVERY ?? 0);
const PODS = 20;
const CLUSTER = "rolled";
/**
 * Bytes that there may be at any time, if BOUND says so: of the module, and of what the browser keeps, which is
 * two generations of a snapshot (20 MB, most of it an hour's Events) and its journal (twice that), the next
 * snapshot while it is written, and checkpoints. And what the page itself may still hold in the end, without garbage:
 * an hour's Events once more, the last 20,000 steps, what is drawn.
 */
const MOST = process.env.BOUND ? { linear: 500e6, kept: 160e6, heaps: 150e6 } : {};

const profile = mkdtempSync(join(tmpdir(), "bench-memory-"));
const site = await serve(process.env.SITE ?? "out/site");
// Not a private window, which has its files in memory.
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ARGS,
});
try {
  const page = await context.newPage();
  await page.addInitScript((cluster) => {
    const settings = { intro: false, keep: true, cluster };
    localStorage["tabernetes.settings"] = JSON.stringify(settings);
  }, CLUSTER);
  await page.goto(site.url);
  await ready(page);
  await kubectl(page, `create deployment rolled --image=nginx --replicas=${PODS}`);
  await kubectl(page, "rollout status deployment/rolled --timeout=180s");
  for (let rollouts = 0, told = 8; ; rollouts++) {
    if (rollouts === 0 || rollouts === told || rollouts === ROLLOUTS) {
      if (rollouts === told) told += Math.min(told, 64);
      const linear = Math.max(...(await Promise.all(page.workers().map(linearMemory))));
      const kept = Object.values(await filesOf(page, CLUSTER)).reduce((sum, size) => sum + size, 0);
      print(`wasm_memory_${rollouts}_rollouts`, linear, MOST.linear);
      await pageProcess(`${rollouts}_rollouts`);
      print(`kept_${rollouts}_rollouts`, kept, MOST.kept);
    }
    if (rollouts === ROLLOUTS) {
      await pageProcess("collected", true);
      break;
    }
    const pause = delay(EVERY * 1000);
    await kubectl(page, "rollout restart deployment/rolled");
    await kubectl(page, "rollout status deployment/rolled --timeout=180s");
    await pause;
  }
} finally {
  await context.close();
  await site.close();
  rmSync(profile, { recursive: true, force: true });
}

/** The page's process. `collect`: its garbage is collected first, and what is left is what it needs. */
async function pageProcess(at, collect = false) {
  const before = renderer();
  const parts = await allocators(context.browser(), before?.pid, collect);
  print(`renderer_${at}`, (collect ? renderer() : before)?.bytes ?? 0);
  for (const [part, bytes] of Object.entries(parts))
    print(`renderer_${part}_${at}`, bytes, collect ? MOST[part] : Infinity);
}

/** Bytes of a Worker's module; 0 where it has none, or has ended. */
function linearMemory(worker) {
  const bytes = () => globalThis.tabernetesMemory?.buffer.byteLength ?? 0;
  return worker.evaluate(bytes).catch(() => 0);
}

function print(name, bytes, most = Infinity) {
  console.log(`${name} ${(bytes / 1e6).toFixed(1)} MB`);
  if (bytes > most) throw new Error(`${name}: more than ${(most / 1e6).toFixed(0)} MB`);
}

async function kubectl(page, line) {
  const { code, stderr } = await page.evaluate((l) => globalThis.tabernetes.kubectl(l), line);
  if (code !== 0) throw new Error(`${line}: ${stderr}`);
}
