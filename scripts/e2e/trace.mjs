/*
 * What V8 itself does while a cluster starts: Chromium's trace of the Worker and of the threads
 * that compile for it; `TRACE=1 make profile`. Prints, for each thread, the events that took
 * longest in all, with how often they came. VISITS page loads share one profile (2 unless told)
 * and only the last is traced, so that what the ones before left in the code cache counts.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { chromium } from "playwright-core";
import { ARGS } from "./browser.mjs";
import { serve } from "./site.mjs";

const VISITS = Number(process.env.VISITS ?? 2);
const SHOWN = 40;
const CATEGORIES = ["v8", "v8.wasm", "disabled-by-default-v8.wasm.detailed", "devtools.timeline"];

const profile = mkdtempSync(join(tmpdir(), "trace-profile-"));
const site = await serve(process.env.SITE ?? "out/site");
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ARGS,
});
try {
  for (let visit = 1; visit < VISITS; visit++) {
    const page = await context.newPage();
    await open(page);
    // Chromium writes compiled code to its cache some seconds after it was compiled.
    await atRest(join(profile, "Default", "Code Cache"));
    await page.close();
  }
  print(await trace(await context.newPage()));
} finally {
  await context.close();
  await site.close();
  rmSync(profile, { recursive: true, force: true });
}

async function open(page) {
  await page.goto(site.url);
  await page.evaluate(() => globalThis.tabernetes.ready);
}

/** Waits until nothing is written to a folder for five seconds. */
async function atRest(folder) {
  for (let same = 0, last = -1; same < 5;) {
    await pause(1000);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    const size = files
      .filter((file) => file.isFile())
      .reduce((sum, { parentPath, name }) => {
        const about = statSync(join(parentPath, name), { throwIfNoEntry: false });
        return sum + (about?.size ?? 0);
      }, 0);
    same = size === last ? same + 1 : 0;
    last = size;
  }
}

async function trace(page) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const complete = new Promise((resolve) => session.on("Tracing.tracingComplete", resolve));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: CATEGORIES, recordMode: "recordAsMuchAsPossible" },
  });
  await open(page);
  await session.send("Tracing.end");
  await complete;
  return events;
}

function print(events) {
  const threads = new Map();
  for (const { name, pid, tid, args } of events) {
    if (name === "thread_name") threads.set(`${pid}/${tid}`, args.name);
  }
  const sums = new Map();
  for (const { ph, name, pid, tid, dur } of events) {
    if (ph !== "X") continue;
    const key = `${threads.get(`${pid}/${tid}`) ?? "?"}: ${name}`;
    const sum = sums.get(key) ?? { time: 0, count: 0 };
    sums.set(key, { time: sum.time + (dur ?? 0), count: sum.count + 1 });
  }
  const longest = [...sums].sort(([, a], [, b]) => b.time - a.time).slice(0, SHOWN);
  for (const [name, { time, count }] of longest) {
    console.log(
      `${(time / 1e3).toFixed(0).padStart(8)} ms ${String(count).padStart(7)} x  ${name}`,
    );
  }
}
