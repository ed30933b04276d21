/*
 * What it costs to keep a cluster, and what it saves: the same page with its journal in the browser's
 * storage and without, in turns; a part of `make bench`. One `name value unit` a line, the median of
 * RUNS (3 unless told); `_kept` is with the journal, `resumed` goes on from an image of the memory
 * (ADR 52). ONLY=resumed and ONLY=checkpoints measure nothing else. What is kept takes bytes, too.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { ARGS, ready, sh } from "./browser.mjs";
import { filesOf, imageKept, inCluster, report } from "./kept-memory.mjs";
import { serve } from "./site.mjs";

const RUNS = Number(process.env.RUNS ?? 3);
const PODS = 100;
const CREATES = 300;
const CONCURRENCY = 16;
/** How many creates a second the longest stall is measured at, and for how many of them. */
const RATE = 20;
const STEADY = 200;
/** So many rounds of changes, a checkpoint after each or none, of ConfigMaps of so many bytes. */
const CHECKPOINTS = { ROUNDS: 12, MAPS: 16, BYTES: 64 << 10 };
/** How long before an image is taken a stall counts for its: garbage is collected right before. */
const BEFORE_MS = 1000;

const profile = mkdtempSync(join(tmpdir(), "bench-kept-"));
const site = await serve(process.env.SITE ?? "out/site");
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ARGS,
});
const UNITS = { _per_s: "1/s", _percent: "%", _bytes: "B" };
const figures = new Map();
const note = (name, value) => figures.set(name, [...(figures.get(name) ?? []), value]);
try {
  await visit("", async () => undefined); // the first one downloads and compiles
  for (let run = 0; run < RUNS && !process.env.ONLY; run++) {
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
        note("kept_100_pods_bytes", await bytesOf(page, kept));
        await checkpoints(page);
        await goingBack(page);
      });
    }
  }
  for (let run = 0; run < RUNS && process.env.ONLY === "checkpoints"; run++) {
    await visit(`bench-${run}`, checkpoints);
  }
  if (process.env.ONLY !== "checkpoints") await resumed();
} finally {
  print();
  await context.close();
  await site.close();
  rmSync(profile, { recursive: true, force: true });
}
/** Prints what there is, in the end. */
function print() {
  for (const [name, values] of figures) {
    const unit = Object.entries(UNITS).find(([end]) => name.endsWith(end))?.[1] ?? "ms";
    console.log(`${name} ${median(values).toFixed(0)} ${unit}`);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    console.error(`  ${name}: ${values.length} runs, ${least.toFixed(0)} to ${most.toFixed(0)}`);
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
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
    started.catch(() => undefined); // where it does not start, `ready` says why
    await ready(page);
    await measure(page, await started);
  } finally {
    await page.close();
  }
}

/**
 * A reload of a quiet cluster whose memory is kept, in turns with one that finds no image: from the page's
 * beginning to /readyz, and to every node Ready.
 */
async function resumed() {
  const page = await context.newPage();
  try {
    await page.addInitScript(() => {
      const settings = { intro: false, keep: true, cluster: "bench-resumed", resume: true };
      localStorage["tabernetes.settings"] = JSON.stringify(settings);
    });
    page.on("dialog", (dialog) => void dialog.accept());
    await page.goto(site.url);
    await ready(page);
    for (let run = 0; run < RUNS; run++) {
      await taken(page);
      for (const mark of ["resumed", "booted"]) {
        if (mark === "booted") await page.evaluate(dropImages);
        await page.reload();
        const { serving, nodes } = await page.evaluate(allNodesReady);
        await went(page, mark);
        note(`open_${mark}_to_readyz`, serving);
        note(`open_${mark}_to_nodes_ready`, nodes);
      }
    }
  } finally {
    await page.close();
  }
  for (const [what, name] of [
    ["open_MARK_to_readyz", "to_readyz"],
    ["open_MARK_to_nodes_ready", "to_nodes_ready"],
  ]) {
    const [after, before] = ["resumed", "booted"].map((mark) =>
      figures.get(what.replace("MARK", mark)),
    );
    note(`resumed_of_booted_${name}_percent`, (100 * median(after)) / median(before));
  }
}

/** Fails where a cluster did not begin as it was to. */
async function went(page, mark) {
  const { from, why } = await report(page);
  if ((from !== undefined) !== (mark === "resumed")) throw new Error(`it was not ${mark}: ${why}`);
}

/** Of everything that is kept of a cluster. */
async function bytesOf(page, cluster) {
  return Object.values(await filesOf(page, cluster)).reduce((sum, size) => sum + size, 0);
}

/**
 * Waits until an image is written; notes how long its copy took, in which nothing else runs, and the longest that
 * the cluster's Worker came to nothing else around it: with the collection of garbage before.
 */
async function taken(page) {
  await inCluster(
    page,
    (before) => {
      const gaps = [];
      let last = performance.now();
      globalThis.stalled = undefined;
      const look = () => {
        const now = performance.now();
        gaps.push({ now, gap: now - last });
        last = now;
        while (gaps[0].now < now - before) gaps.shift();
        if (globalThis.tabernetesImage.taken > 0) {
          globalThis.stalled = Math.max(...gaps.map(({ gap }) => gap));
        } else {
          setTimeout(look, 5);
        }
      };
      look();
    },
    BEFORE_MS,
  );
  const { copied } = await imageKept(page);
  note("image_copy", copied);
  note("longest_stall_around_an_image", await inCluster(page, () => globalThis.stalled));
}

async function dropImages() {
  const all = await (await navigator.storage.getDirectory()).getDirectoryHandle("tabernetes");
  const folder = await all.getDirectoryHandle("bench-resumed");
  for (const name of ["image-0", "image-1"]) await folder.removeEntry(name).catch(() => undefined);
}

/** When /readyz said ok and when all nodes were Ready, in milliseconds since the page's beginning. */
async function allNodesReady() {
  const until = async (path, isRight) => {
    for (;;) {
      try {
        const response = await globalThis.tabernetes.fetch(path);
        if (response.ok && isRight(await response.text())) return performance.now();
      } catch {
        // it does not serve yet
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const serving = await until("/readyz", (text) => text === "ok");
  // What the store says of nodes may be from before.
  await globalThis.tabernetes.ready;
  const nodes = await until("/api/v1/nodes", (text) => {
    const { items } = JSON.parse(text);
    const isReady = ({ type, status }) => type === "Ready" && status === "True";
    return items.length === 3 && items.every(({ status }) => status.conditions.some(isReady));
  });
  return { serving, nodes };
}

/** The longest command of a kept cluster while checkpoints are written, in turns with none. */
async function checkpoints(page) {
  for (const written of [false, true]) {
    const when = written ? "while_checkpoints_are_written" : "without_checkpoints";
    note(`longest_command_${when}`, await page.evaluate(command, { ...CHECKPOINTS, written }));
  }
}

/**
 * A checkpoint of the cluster with 100 pods, and going back to it: after a namespace was deleted with the little that
 * was in it, and after the Deployment of them all was.
 */
async function goingBack(page) {
  const timed = (method, argument) =>
    page.evaluate(
      async ([name, given]) => {
        const from = performance.now();
        const answer = await globalThis.tabernetes[name](given);
        return { took: performance.now() - from, answer };
      },
      [method, argument],
    );
  await sh(page, "kubectl create namespace shop");
  await sh(page, "kubectl create deployment web -n shop --image=nginx --replicas=3");
  await sh(page, "kubectl expose deployment web -n shop --port=80");
  await sh(page, "kubectl rollout status deployment web -n shop --timeout=120s");
  for (const [what, lines] of [
    ["a_namespace", ["kubectl delete namespace shop"]],
    [
      "100_pods",
      [
        "kubectl delete deployment many",
        "kubectl wait --for=delete pod -l app=many --timeout=300s",
      ],
    ],
  ]) {
    const { took, answer } = await timed("checkpoint", "bench");
    note("checkpoint_100_pods", took);
    for (const line of lines) await sh(page, line);
    note(`restore_${what}`, (await timed("restore", answer.id)).took);
  }
  await sh(page, "kubectl rollout status deployment web -n shop --timeout=120s");
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

/**
 * The longest that a command took which only reads, one after the other, while a megabyte of objects changed again and
 * again, in milliseconds; with a checkpoint of each change, which is written beside them, or without.
 */
async function command({ ROUNDS, MAPS, BYTES, written }) {
  const { kubectl, fetch, checkpoint } = globalThis.tabernetes;
  let running = true;
  let longest = 0;
  const commands = async () => {
    while (running) {
      const from = performance.now();
      const { code, stderr } = await kubectl("get namespaces -o name");
      if (code !== 0) throw new Error(stderr);
      longest = Math.max(longest, performance.now() - from);
    }
  };
  const change = async (name, letter) => {
    const path = "/api/v1/namespaces/default/configmaps";
    const metadata = { name };
    const response = await fetch(`${path}/${name}?fieldManager=bench&force=true`, {
      method: "PATCH",
      headers: { "Content-Type": "application/apply-patch+yaml" },
      body: JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata,
        data: { text: letter.repeat(BYTES) },
      }),
    });
    if (!response.ok) throw new Error(await response.text());
  };
  const going = commands();
  for (let round = 0; round < ROUNDS; round++) {
    const letter = String.fromCharCode(97 + round);
    for (let i = 0; i < MAPS; i++) await change(`large-${i}`, letter);
    if (written) await checkpoint(`round ${round}`);
  }
  // The last one may still be written.
  await new Promise((resolve) => setTimeout(resolve, 500));
  running = false;
  await going;
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
