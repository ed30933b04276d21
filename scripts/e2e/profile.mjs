/*
 * Where the time of a start goes: V8's sampling profiler on the Worker, from its first line to a
 * cluster that is ready; `make profile`. Prints the functions by their own time, then with what
 * they call. The whole profile is left in out/profile.cpuprofile for Chrome's developer tools.
 * Go's functions have names only in a module that was linked without -s (NAMES=1 make profile).
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { launch } from "./browser.mjs";
import { serve } from "./site.mjs";

const SHOWN = 60;
const site = await serve(process.env.SITE ?? "out/site");
const browser = await launch();
try {
  const profile = await record(await browser.newPage(), site.url);
  mkdirSync("out", { recursive: true });
  writeFileSync("out/profile.cpuprofile", JSON.stringify(profile));
  print(profile);
} finally {
  await browser.close();
  await site.close();
}

/** Profiles the page's Worker until the cluster is ready. */
async function record(page, url) {
  const session = await page.context().newCDPSession(page);
  const answers = new Map();
  let worker;
  session.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id, result } = JSON.parse(message);
    answers.get(id)?.(result);
    answers.delete(id);
  });
  let ids = 0;
  const send = (method, params = {}) =>
    new Promise((resolve) => {
      const id = ++ids;
      answers.set(id, resolve);
      void session.send("Target.sendMessageToTarget", {
        sessionId: worker,
        message: JSON.stringify({ id, method, params }),
      });
    });
  session.on("Target.attachedToTarget", async ({ sessionId }) => {
    worker = sessionId;
    await send("Profiler.enable");
    await send("Profiler.setSamplingInterval", { interval: 1000 });
    await send("Profiler.start");
    await send("Runtime.runIfWaitingForDebugger");
  });
  await session.send("Target.setAutoAttach", {
    autoAttach: true,
    waitForDebuggerOnStart: true,
    flatten: false,
  });
  await page.goto(url);
  await page.evaluate(() => globalThis.tabernetes.ready);
  return (await send("Profiler.stop")).profile;
}

function print({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((c) => [c, node.id])));
  const own = new Map();
  const whole = new Map();
  const add = (map, name, time) => map.set(name, (map.get(name) ?? 0) + time);
  samples.forEach((sample, i) => {
    const seen = new Set();
    for (let id = sample; id !== undefined; id = parents.get(id)) {
      const name = byId.get(id).callFrame.functionName || "(anonymous)";
      if (id === sample) add(own, name, timeDeltas[i]);
      if (!seen.has(name)) add(whole, name, timeDeltas[i]);
      seen.add(name);
    }
  });
  for (const [title, map] of [
    ["own time", own],
    ["with what it calls", whole],
  ]) {
    console.log(`\n${title}`);
    for (const [name, time] of [...map].sort((a, b) => b[1] - a[1]).slice(0, SHOWN)) {
      console.log(`${(time / 1e3).toFixed(0).padStart(8)} ms  ${name}`);
    }
  }
}
