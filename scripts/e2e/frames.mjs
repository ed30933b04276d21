/*
 * How smoothly the page draws, as `name value unit`: the gaps between frames while 300 pods start
 * on the real cluster, with the journey open and without it in turns (ROUNDS of them, 2), and with 10,000
 * pods on 100 nodes over the fake worker. 60 frames a second are 16.7 ms. Tasks are the page's own
 * that took more than 50 ms, in which it could answer nobody: by the clock, and (computed) by the processor
 * time of its thread, which leaves out what the machine gave to others meanwhile. Figures, not a test: they
 * are the machine's as much as the page's; the two ways in one run compare.
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
/** What was found, by name. */
const rounds = new Map();
const browser = await launch();
try {
  if (process.argv[2] !== "real") await fake();
  if (process.argv[2] !== "fake") {
    for (let round = 0; round < Number(process.env.ROUNDS ?? 2); round++) {
      await real("start_300_pods", "nodes");
      await real("start_300_pods_journey", "journey");
    }
    report();
  }
} finally {
  await browser.close();
}

async function visit(folder, body, view = "") {
  const site = await serve(folder);
  const context = await browser.newContext(DESKTOP);
  try {
    const page = await context.newPage();
    await page.goto(`${site.url}${view}`);
    await ready(page);
    await page.locator(".boot").waitFor({ state: "detached" });
    await body(page);
  } finally {
    await context.close();
    await site.close();
  }
}

function fake() {
  const body = async (page) => {
    await page.evaluate(async () => {
      await globalThis.tabernetes.shell("nodes 97");
      await globalThis.tabernetes.kubectl("create deployment many --replicas=10000");
    });
    // Names are short: one or two of them may be the same.
    await page
      .locator("tn-counts", { hasText: /(999\d|10000)\s+pods/ })
      .waitFor({ timeout: 120_000 });
    await settled(page, 120_000);
    const found = await measure(page, async () => {
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
    print("map_10000_pods", found);
  };
  return visit("out/site-fake", body, "#/map");
}

function real(name, view) {
  const body = async (page) => {
    const found = await measure(page, async () => {
      await page.evaluate(() =>
        globalThis.tabernetes.kubectl("create deployment many --image=nginx --replicas=300"),
      );
      await page.evaluate(() =>
        globalThis.tabernetes.kubectl("rollout status deployment many --timeout=180s"),
      );
    });
    const before = rounds.get(name) ?? { gaps: [], tasks: [], computed: [] };
    rounds.set(name, {
      gaps: [...before.gaps, ...found.gaps],
      tasks: [...before.tasks, ...found.tasks],
      computed: [...before.computed, ...found.computed],
    });
  };
  return visit("out/site", body, `#/${view}`);
}

function report() {
  for (const [name, found] of rounds) print(name, found);
  const [without, journey] = [...rounds.values()].map(({ gaps }) => quantile(gaps, 0.95));
  console.log(`journey_by_without_frame_p95 ${(journey / without).toFixed(2)} ratio`);
}

async function measure(page, work) {
  await page.evaluate(() => {
    globalThis.gaps = [];
    globalThis.tasks = [];
    globalThis.observer = new PerformanceObserver((list) => {
      globalThis.tasks.push(...list.getEntries().map(({ duration }) => duration));
    });
    globalThis.observer.observe({ type: "longtask" });
    let last = performance.now();
    const next = (now) => {
      globalThis.gaps.push(now - last);
      last = now;
      globalThis.measuring = requestAnimationFrame(next);
    };
    globalThis.measuring = requestAnimationFrame(next);
  });
  const traced = await traceTasks(page);
  await work();
  const found = await page.evaluate(() => {
    cancelAnimationFrame(globalThis.measuring);
    globalThis.observer.disconnect();
    return { gaps: globalThis.gaps.slice(2), tasks: globalThis.tasks };
  });
  return { ...found, computed: await traced() };
}

/** Begins a trace; what it returns ends it, and says how many ms of processor time the page's tasks took. */
async function traceTasks(page) {
  const session = await page.context().newCDPSession(page);
  const tasks = [];
  const renderers = new Set();
  session.on("Tracing.dataCollected", ({ value }) => {
    for (const { name, args, pid, tid, tdur } of value) {
      if (name === "thread_name" && args.name === "CrRendererMain") renderers.add(`${pid}/${tid}`);
      if (name.endsWith("RunTask") && tdur > 0) tasks.push([`${pid}/${tid}`, tdur / 1000]);
    }
  });
  const complete = new Promise((resolve) => session.on("Tracing.tracingComplete", resolve));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: {
      includedCategories: ["disabled-by-default-devtools.timeline"],
      recordMode: "recordAsMuchAsPossible",
    },
  });
  return async () => {
    await session.send("Tracing.end");
    await complete;
    const own = tasks.filter(([thread]) => renderers.has(thread)).map(([, took]) => took);
    if (own.length === 0) throw new Error("the browser's trace has no processor time of tasks");
    return own;
  };
}

function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function print(name, { gaps, tasks, computed }) {
  const total = gaps.reduce((a, b) => a + b, 0);
  console.log(`${name}_frame_p50 ${quantile(gaps, 0.5).toFixed(1)} ms`);
  console.log(`${name}_frame_p95 ${quantile(gaps, 0.95).toFixed(1)} ms`);
  console.log(`${name}_frames_per_second ${((1000 * gaps.length) / total).toFixed(1)} 1/s`);
  console.log(`${name}_tasks_over_50 ${tasks.length} tasks`);
  console.log(`${name}_longest_task ${Math.max(0, ...tasks).toFixed(0)} ms`);
  const longest = computed.reduce((a, b) => Math.max(a, b), 0);
  console.log(`${name}_tasks_over_50_computed ${computed.filter((t) => t > 50).length} tasks`);
  console.log(`${name}_longest_task_computed ${longest.toFixed(0)} ms`);
}
