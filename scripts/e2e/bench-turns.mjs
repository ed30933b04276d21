/*
 * Hosts of one page measured beside each other: each with a browser's profile of its own, a first visit,
 * then later ones in turns, so that what else the machine does falls on all of them.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { ARGS } from "./browser.mjs";
import { serve } from "./site.mjs";

/**
 * Visits `hosts`, which have a `name`, a `dir` that is served, and `serviceWorkers` as Playwright has it; `visit` gets one with
 * its `site` and `context`, and gives milliseconds. Prints those of the first visit and the median of `runs` later ones, as
 * `first_<figure>_<host> <n> ms` and `later_…`.
 */
export async function inTurns(hosts, runs, figure, visit) {
  try {
    for (const host of hosts) {
      host.profile = mkdtempSync(join(tmpdir(), "bench-turns-"));
      host.site = await serve(host.dir);
      host.context = await chromium.launchPersistentContext(host.profile, {
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ARGS,
        serviceWorkers: host.serviceWorkers,
      });
      console.log(`first_${figure}_${host.name} ${(await visit(host)).toFixed(0)} ms`);
      host.later = [];
    }
    for (let run = 0; run < runs; run++) {
      for (const host of hosts) host.later.push(await visit(host));
    }
    for (const { name, later } of hosts) {
      const [median] = later.toSorted((a, b) => a - b).slice(later.length >> 1);
      console.log(`later_${figure}_${name} ${median.toFixed(0)} ms`);
      console.error(`  ${name}: ${later.map((time) => time.toFixed(0)).join(" ")}`);
    }
  } finally {
    for (const { profile, site, context } of hosts) {
      await context?.close();
      await site?.close();
      if (profile) rmSync(profile, { recursive: true, force: true });
    }
  }
}
