/*
 * What it costs to keep a cluster, and what it saves: the same page with its journal in the browser's
 * storage and without, in turns; a part of `make bench`. One `name value unit` a line, the median of
 * RUNS (3 unless told); `_kept` is with the journal.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { ARGS, ready } from "./browser.mjs";
import { serve } from "./site.mjs";

const RUNS = Number(process.env.RUNS ?? 3);
const PODS = 100;
const CREATES = 300;
const CONCURRENCY = 16;
/** How many creates a second the longest stall is measured at, and for how many of them. */
const RATE = 20;
const STEADY = 200;

const profile = mkdtempSync(join(tmpdir(), "bench-kept-"));
const site = await serve("out/site");
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ARGS,
});
const figures = new Map();
const note = (name, value) => figures.set(name, [...(figures.get(name) ?? []), value]);
try {
  await visit("", async () => undefined); // the first one downloads and compiles
  for (let run = 0; run < RUNS; run++) {
    for (const [mark, kept] of [
      ["", ""],
      ["_kept", `bench-${run}`],
    ]) {
      await visit(kept, async (page, first) => {
        note(`pod_creates${mark}_per_s`, await page.evaluate(rate, { CREATES, CONCURRENCY }));
        note(`longest_stall_at_20_creates${mark}`, await page.evaluate(stall, { RATE, STEADY }));
        if (!kept) {
          note("boot_to_live_watch", first.live);
          return;
        }
        await page.evaluate(fill, PODS);
        await page.reload();
        const { live, pods } = await page.evaluate(alive);
        if (pods < PODS) throw new Error(`${pods} pods of ${PODS} after the reload`);
        note("reload_100_pods_to_live_watch", live);
        note("reload_100_pods_to_all_ready", await page.evaluate(allReady));
      });
    }
  }
} finally {
  await context.close();
  await site.close();
  rmSync(profile, { recursive: true, force: true });
}
for (const [name, values] of figures) {
  const median = values.toSorted((a, b) => a - b)[values.length >> 1];
  const unit = name.endsWith("_per_s") ? "1/s" : "ms";
  console.log(`${name} ${median.toFixed(0)} ${unit}`);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  console.error(`  ${name}: ${values.length} runs, ${least.toFixed(0)} to ${most.toFixed(0)}`);
}

/** Opens the page, keeping the cluster as `kept`, or not at all where that is empty. */
async function visit(kept, measure) {
  const page = await context.newPage();
  try {
    await page.addInitScript((cluster) => {
      const settings = { intro: false, keep: cluster !== "", cluster: cluster || "cluster" };
      localStorage["tabernetes.settings"] = JSON.stringify(settings);
      globalThis.createPod = async (name) => {
        const response = await globalThis.tabernetes.fetch("/api/v1/namespaces/default/pods", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({
            metadata: { name },
            // Nobody schedules it: what is measured is the API and the store.
            spec: { schedulerName: "nobody", containers: [{ name: "c", image: "pause" }] },
          }),
        });
        if (!response.ok) throw new Error(await response.text());
      };
    }, kept);
    await page.goto(site.url);
    const started = page.evaluate(alive);
    await ready(page);
    await measure(page, await started);
  } finally {
    await page.close();
  }
}

/** Creates a second, so many at a time. */
async function rate({ CREATES, CONCURRENCY }) {
  let next = 0;
  const create = async () => {
    while (next < CREATES) await globalThis.createPod(`bare-${next++}`);
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, create));
  const took = performance.now() - from;
  await globalThis.tabernetes.kubectl("delete pods --field-selector=spec.nodeName= --wait=false");
  return (CREATES * 1000) / took;
}

/** The longest that the cluster did not answer while pods were created at an even pace, in milliseconds. */
async function stall({ RATE, STEADY }) {
  let running = true;
  let longest = 0;
  const ask = async () => {
    while (running) {
      const from = performance.now();
      await (await globalThis.tabernetes.fetch("/livez/ping")).text();
      longest = Math.max(longest, performance.now() - from);
    }
  };
  const asking = ask();
  const made = [];
  const begin = performance.now();
  for (let i = 0; i < STEADY; i++) {
    const wait = begin + (i * 1000) / RATE - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    made.push(globalThis.createPod(`steady-${i}`));
  }
  await Promise.all(made);
  running = false;
  await asking;
  await globalThis.tabernetes.kubectl("delete pods --field-selector=spec.nodeName= --wait=false");
  return longest;
}

async function fill(pods) {
  for (const line of [
    `create deployment many --image=nginx --replicas=${pods}`,
    "rollout status deployment/many --timeout=300s",
  ]) {
    const { code, stderr } = await globalThis.tabernetes.kubectl(line);
    if (code !== 0) throw new Error(`${line}: ${stderr}`);
  }
}

/** When, since the page was opened, pods were listed and a watch from there told of a change. */
async function alive() {
  const { fetch } = globalThis.tabernetes;
  const path = "/api/v1/namespaces/default/configmaps";
  const name = `alive-${Math.floor(Math.random() * 1e9)}`;
  const pods = await (
    await fetch("/api/v1/namespaces/default/pods?labelSelector=app%3Dmany")
  ).json();
  const { metadata } = await (await fetch(path)).json();
  const abort = new AbortController();
  const watch = await fetch(`${path}?watch=true&resourceVersion=${metadata.resourceVersion}`, {
    signal: abort.signal,
  });
  const made = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ metadata: { name } }),
  });
  if (!made.ok) throw new Error(await made.text());
  const reader = watch.body.getReader();
  for (let text = ""; !text.includes(name);) {
    const { value, done } = await reader.read();
    if (done) throw new Error("the watch ended");
    text += new TextDecoder().decode(value);
  }
  const live = performance.now();
  abort.abort();
  return { live, pods: pods.items.length };
}

/** When every pod that was there runs again. */
async function allReady() {
  const line = "wait --for=condition=Ready pod -l app=many --timeout=300s";
  const { kubectl, ready } = globalThis.tabernetes;
  await ready;
  for (;;) {
    const { code, stderr } = await kubectl(line);
    if (code !== 0) throw new Error(stderr);
    // What was Ready before the reload stands there until its kubelet has looked at it again.
    const { stdout } = await kubectl(
      "get pods -l app=many -o jsonpath={.items[*].status.containerStatuses[*].restartCount}",
    );
    const counts = stdout.trim().split(" ");
    if (counts.every((count) => Number(count) > 0)) return performance.now();
  }
}
