/*
 * What compiling the module takes without its data segments, which an image of the memory could have
 * instead (ADR 52): both from the browser's cache, in turns, as `segments <n> MB of <m>` and medians.
 *   RUNS=8 node scripts/e2e/bench-segments.mjs
 */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { chromium } from "playwright-core";
import { ARGS } from "./browser.mjs";

const RUNS = Number(process.env.RUNS ?? 8);
const ASSETS = "out/site/assets";
const DATA_SECTION = 11;
const HEADER_BYTES = 8;

const { wasm } = JSON.parse(readFileSync(join(ASSETS, "manifest.json"), "utf8"));
const whole = readFileSync(join(ASSETS, wasm.url));
const bare = withoutData(whole);
console.log(`segments ${mega(whole.length - bare.length)} MB of ${mega(whole.length)}`);
const modules = { with: packed(whole), without: packed(bare) };

const server = http.createServer((request, response) => {
  const module = modules[request.url.slice(1)];
  response.setHeader("Content-Type", module ? "application/wasm" : "text/html");
  if (module) {
    response.setHeader("Content-Encoding", "br");
    response.setHeader("Cache-Control", "max-age=31536000, immutable");
  }
  response.end(module ?? "<!doctype html>");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const profile = mkdtempSync(join(tmpdir(), "bench-segments-"));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ARGS,
});
try {
  const times = { with: [], without: [] };
  const names = Object.keys(modules);
  await compile("with");
  await compile("without");
  for (let run = 0; run < RUNS; run++)
    for (const name of run % 2 ? names : names.toReversed()) times[name].push(await compile(name));
  const [all, less] = names.map((name) => times[name].toSorted((a, b) => a - b)[RUNS >> 1]);
  console.log(`compiled_with_segments ${all.toFixed(0)} ms`);
  console.log(`compiled_without_segments ${less.toFixed(0)} ms, ${(less / all).toFixed(2)} of it`);
} finally {
  await context.close();
  server.close();
  rmSync(profile, { recursive: true, force: true });
}

/** Milliseconds, in a page of its own. */
async function compile(name) {
  const page = await context.newPage();
  await page.goto(`http://localhost:${server.address().port}/`);
  const took = await page.evaluate(async (url) => {
    const began = performance.now();
    await WebAssembly.compileStreaming(fetch(url));
    return performance.now() - began;
  }, name);
  await page.close();
  return took;
}

function withoutData(module) {
  const kept = [module.subarray(0, HEADER_BYTES)];
  for (let at = HEADER_BYTES; at < module.length;) {
    let body = at + 1;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = module[body++];
      length += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    if (module[at] !== DATA_SECTION) kept.push(module.subarray(at, body + length));
    at = body + length;
  }
  return Buffer.concat(kept);
}

function packed(module) {
  return brotliCompressSync(module, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

function mega(bytes) {
  return (bytes / 1e6).toFixed(1);
}
