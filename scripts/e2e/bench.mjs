/*
 * The budgets of docs/architecture.md on the built page in Chromium, one `name value unit` a line; `make bench`.
 * RUNS page loads (5 unless told) share one profile, so that all but the first, which is not
 * counted, find the download in the cache. Every figure is the median over the runs.
 * SITES=out/site:../other/out/site measures several builds in turns, each with a profile of its own;
 * their figures end in @1, @2.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { ARGS } from "./browser.mjs";
import { residentOfRenderer } from "./resident.mjs";
import { serve } from "./site.mjs";

const RUNS = Number(process.env.RUNS ?? 5);
const PODS = 100;
const CREATES = 300;
const CONCURRENCY = 16;

const SITES = (process.env.SITES ?? "out/site").split(":");
const builds = [];
const figures = new Map();
try {
  for (const [i, directory] of SITES.entries()) {
    const profile = mkdtempSync(join(tmpdir(), "bench-profile-"));
    const build = { profile, mark: SITES.length > 1 ? `@${i + 1}` : "" };
    builds.push(build);
    build.site = await serve(directory);
    build.context = await chromium.launchPersistentContext(profile, {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ARGS,
    });
    const first = await visit(build);
    console.log(`first_open_to_readyz${build.mark} ${first.open_to_readyz.toFixed(0)} ms`);
  }
  for (let run = 0; run < RUNS; run++) {
    for (const build of builds) {
      for (const [name, value] of Object.entries(await visit(build))) {
        const key = name + build.mark;
        figures.set(key, [...(figures.get(key) ?? []), value]);
      }
    }
  }
} finally {
  for (const { profile, site, context } of builds) {
    await context?.close();
    await site?.close();
    rmSync(profile, { recursive: true, force: true });
  }
}
const UNITS = { _per_s: "1/s", _bytes: "MB" };
for (const [name, values] of figures) {
  const unit =
    Object.entries(UNITS).find(([end]) => name.replace(/@\d+$/, "").endsWith(end))?.[1] ?? "ms";
  const median = values.toSorted((a, b) => a - b)[values.length >> 1];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const shown = (value) => (unit === "MB" ? (value / 1e6).toFixed(1) : value.toFixed(0));
  console.log(`${name.replace(/_bytes(?=$|@)/, "")} ${shown(median)} ${unit}`);
  console.error(`  ${name}: ${values.length} runs, ${shown(least)} to ${shown(most)}`);
}

/** One page load with everything that is measured on it. */
async function visit({ context, site }) {
  const page = await context.newPage();
  try {
    const reference = await page.evaluate(measureReference);
    const referenceMemory = await page.evaluate(measureMemory);
    await page.goto(site.url);
    const started = await page.evaluate(measureStart);
    const [worker] = page.workers();
    const memory = await page.evaluate(scaleTo, 30).then(() => sizeOf(worker));
    const resident = residentOfRenderer();
    const running = await page.evaluate(measureRunning, { PODS, CREATES, CONCURRENCY });
    return {
      reference_loop: reference,
      reference_memory: referenceMemory,
      ...started,
      wasm_memory_30_pods_bytes: memory,
      renderer_30_pods_bytes: resident,
      ...running,
      wasm_memory_end_bytes: await sizeOf(worker),
      renderer_end_bytes: residentOfRenderer(),
    };
  } finally {
    await page.close();
  }
}

/** Linear memory of the cluster's module; wasm never gives any back. */
function sizeOf(worker) {
  return worker.evaluate(() => globalThis.tabernetesMemory.buffer.byteLength);
}

/**
 * How fast this machine is at the moment: a loop that never changes. Machines differ, and the same
 * one from hour to hour; figures of two runs compare as multiples of this one.
 */
function measureReference() {
  const begin = performance.now();
  let x = 1;
  for (let i = 0; i < 300_000_000; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  if (x === 0) throw new Error("xorshift never comes to 0");
  return performance.now() - begin;
}

/**
 * How fast its memory is: a walk of 64 MiB in an order that no cache knows. Others on the same
 * hardware slow this down where the loop above runs as ever, and a cluster is like this.
 */
function measureMemory() {
  const next = new Uint32Array(16 << 20);
  for (let i = 0; i < next.length; i++)
    next[i] = (Math.imul(i, 1_664_525) + 1_013_904_223) & (next.length - 1);
  const begin = performance.now();
  let at = 0;
  for (let i = 0; i < 5_000_000; i++) at = next[at];
  if (at < 0) throw new Error("an index is never negative");
  return performance.now() - begin;
}

async function scaleTo(replicas) {
  const { kubectl } = globalThis.tabernetes;
  await kubectl(`scale deployment nginx --replicas=${replicas}`);
  const { code, stderr } = await kubectl("rollout status deployment/nginx --timeout=120s");
  if (code !== 0) throw new Error(stderr);
}

/** From the navigation to /readyz, to nodes, and to three pods of the guide's command. */
async function measureStart() {
  const { tabernetes } = globalThis;
  const readyz = tabernetes.fetch("/readyz").then(async (response) => {
    if ((await response.text()) !== "ok") throw new Error("/readyz is not ok");
    return performance.now();
  });
  const nodes = tabernetes.ready.then(() => performance.now());
  const made = await tabernetes.kubectl("create deployment nginx --image=nginx --replicas=3");
  if (made.code !== 0) throw new Error(made.stderr);
  const watched = await tabernetes.kubectl("rollout status deployment/nginx --timeout=120s");
  if (watched.code !== 0) throw new Error(watched.stderr);
  const pods = performance.now();
  const [paint] = globalThis.performance.getEntriesByName("first-contentful-paint");
  return {
    open_to_first_paint: paint.startTime,
    open_to_readyz: await readyz,
    open_to_nodes_ready: await nodes,
    open_to_3_pods_ready: pods,
  };
}

/** What a running cluster does. */
async function measureRunning({ PODS, CREATES, CONCURRENCY }) {
  const { tabernetes } = globalThis;
  const timed = async (line) => {
    const begin = performance.now();
    const { code, stderr } = await tabernetes.kubectl(line);
    if (code !== 0) throw new Error(`${line}: ${stderr}`);
    return performance.now() - begin;
  };
  const gets = [];
  for (let i = 0; i < 12; i++) gets.push(await timed("get pods"));
  const warm = gets.slice(2).toSorted((a, b) => a - b)[5];

  const begin = performance.now();
  await timed(`create deployment many --image=nginx --replicas=${PODS}`);
  await timed("rollout status deployment/many --timeout=120s");
  const many = performance.now() - begin;
  await timed("delete deployment many");
  await timed("wait --for=delete pod -l app=many --timeout=180s"); // or it would go on meanwhile

  // Pods that nobody schedules: what is measured is the API and the store.
  let next = 0;
  const create = async () => {
    while (next < CREATES) {
      const name = `bare-${next++}`;
      const response = await tabernetes.fetch("/api/v1/namespaces/default/pods", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name },
          spec: { schedulerName: "nobody", containers: [{ name: "c", image: "pause" }] },
        }),
      });
      if (!response.ok) throw new Error(await response.text());
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, create));
  const rate = (CREATES * 1000) / (performance.now() - from);
  return { kubectl_get_pods_warm: warm, apply_to_100_pods_ready: many, pod_creates_per_s: rate };
}
