#!/usr/bin/env node
/*
 * The tab's program under Node, without a page: boots the built module, prints its boot steps,
 * runs the given lines in the terminal's shell one after the other, and ends.
 *
 *   scripts/tab-in-node.mjs [--nodes 3] [--verbose] [--module FILE] [--env K=V]… [--fetch PATH]… [--trace] [--idle 30] [--heap FILE] [LINE]…
 *
 * Times are milliseconds since this script began. Under Node is not in Chromium; it is the
 * quickest way to see what the program does.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { MessageChannel } from "node:worker_threads";
import { fileURLToPath } from "node:url";
import { transformWithOxc } from "vite";
import { draw } from "./e2e/trees.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options, positionals: lines } = parseArgs({
  allowPositionals: true,
  options: {
    nodes: { type: "string", default: "3" },
    module: { type: "string" },
    fetch: { type: "string", multiple: true, default: [] },
    /** Prints the tree of what each line caused, a while after it. */
    trace: { type: "boolean", default: false },
    quiet: { type: "boolean", default: false },
    /** After the lines: how often the program wakes, and how long it computes, in so many seconds of rest. */
    idle: { type: "string", default: "0" },
    /** After the lines: what is alive and who allocated it, for `go tool pprof -sample_index=inuse_space FILE`. */
    heap: { type: "string" },
    /** The components' informational log, too. */
    verbose: { type: "boolean", default: false },
    /** The step after which the lines run; "nothing" to run them at once. */
    wait: { type: "string", default: "nodes" },
    /** Go's environment: GODEBUG=gctrace=1, … */
    env: { type: "string", multiple: true, default: [] },
  },
});

const begin = performance.now();
const say = (text) =>
  process.stdout.write(`[${(performance.now() - begin).toFixed(0).padStart(6)}] ${text}\n`);
const require = createRequire(import.meta.url);

const decoder = new TextDecoder();
const constants = {
  O_WRONLY: -1,
  O_RDWR: -1,
  O_CREAT: -1,
  O_TRUNC: -1,
  O_APPEND: -1,
  O_EXCL: -1,
  O_DIRECTORY: -1,
};
const writeSync = (fd, bytes) => {
  if (!options.quiet) process.stderr.write(bytes);
  return bytes.length;
};
globalThis.fs = {
  constants,
  writeSync,
  write: (fd, bytes, offset, length, _position, callback) =>
    callback(null, writeSync(fd, bytes.subarray(offset, offset + length))),
};
// No `process` for the program, as in a browser: it must not notice where it is.
const { exit } = process;
const goroot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
require(goroot + "/lib/wasm/wasm_exec.js");

const go = new globalThis.Go();
go.argv = ["tabernetes"];
go.env = Object.fromEntries(
  options.env.map((e) => [e.slice(0, e.indexOf("=")), e.slice(e.indexOf("=") + 1)]),
);
// Every 500 kB: see wasm/memory_js.go, which leaves the profile out otherwise.
if (options.heap) go.env.GODEBUG = [go.env.GODEBUG, "memprofilerate=500000"].filter(Boolean).join();
go.exit = (code) => {
  say(`the program ended with code ${code}`);
  exit(code || 1);
};

// The program's clocks are the page's own (web/worker/clock.ts): wasm_exec.js has a wall clock of
// milliseconds, on which the second of two Events of one object within a millisecond is refused.
const clock = fileURLToPath(new URL("../web/worker/clock.ts", import.meta.url));
const { code: clockSource } = await transformWithOxc(readFileSync(clock, "utf8"), clock);
const { installClock } = await import(`data:text/javascript,${encodeURIComponent(clockSource)}`);
installClock(go);

let wakes = 0;
const resume = go._resume.bind(go);
go._resume = () => {
  wakes++;
  resume();
};

const { port1, port2 } = new MessageChannel();
// The module refuses a page of another age: the version is read where the page has it.
const protocolSource = readFileSync(new URL("../web/rpc/protocol.ts", import.meta.url), "utf8");
const protocol = Number(/VERSION = (\d+)/.exec(protocolSource)[1]);
globalThis.tabernetesHost = {
  port: port2,
  protocol,
  config: { nodes: Number(options.nodes), verbose: options.verbose },
};

const calls = new Map();
let lastId = 0;
/** Calls a method; output goes to this script's. */
function call(method, params, onData = (chunk) => process.stdout.write(decoder.decode(chunk))) {
  return new Promise((resolve, reject) => {
    const id = ++lastId;
    calls.set(id, { resolve, reject, onData });
    port1.postMessage({ type: "call", id, method, params });
  });
}
const steps = new Map();
function stepDone(step) {
  return new Promise((resolve) =>
    steps.get(step) === "done" ? resolve() : steps.set(step, resolve),
  );
}
let ended;
port1.on("message", (m) => {
  const c = calls.get(m.id);
  switch (m.type) {
    case "boot":
      say(`boot: ${m.step} ${m.state}${m.detail ? ": " + m.detail : ""}`);
      if (m.state === "done") {
        const resolve = steps.get(m.step);
        steps.set(m.step, "done");
        if (typeof resolve === "function") resolve();
      }
      break;
    case "fault":
      say(`fault: ${m.component}: ${m.message}`);
      if (m.stack) process.stdout.write(m.stack + "\n");
      ended?.(1);
      break;
    case "head":
      say(`${m.status} ${m.statusText}`);
      break;
    case "data":
      c.onData(m.chunk);
      port1.postMessage({ type: "ack", id: m.id, bytes: m.chunk.byteLength });
      break;
    case "stdin":
      port1.postMessage({ type: "end", id: m.id });
      break;
    case "result":
      calls.delete(m.id);
      c.resolve(m.value);
      break;
    case "error":
      calls.delete(m.id);
      c.reject(new Error(m.error.message));
      break;
  }
});

const assets = root + "out/site/assets/";
options.module ??= assets + JSON.parse(readFileSync(assets + "manifest.json", "utf8")).wasm.url;
say(`module: ${options.module}`);
const module = new WebAssembly.Module(readFileSync(options.module));
say("compiled");
const instance = new WebAssembly.Instance(module, go.importObject);
go.run(instance);

/** The tree of the last command that ended. */
async function tree() {
  let text = "";
  await call("export", {}, (chunk) => (text += decoder.decode(chunk, { stream: true })));
  const { steps } = JSON.parse(text);
  const root = steps.findLast((step) => step.kind === "kubectl.command");
  return root ? draw(steps, root) : "no command was traced\n";
}

/** Linear memory in MB, of which wasm gives none back. */
function memory() {
  return (instance.exports.mem.buffer.byteLength / 1e6).toFixed(0);
}

/** Says what the program does while nobody asks it for anything. */
async function rest(seconds) {
  const pause = (s) => new Promise((resolve) => setTimeout(resolve, s * 1000));
  await pause(20); // what the lines began comes to its end
  const [from, before, at] = [wakes, process.cpuUsage(), performance.now()];
  await pause(seconds);
  const took = (performance.now() - at) / 1000;
  const used = process.cpuUsage(before);
  say(`wake-ups ${((wakes - from) / took).toFixed(1)} 1/s`);
  say(`processor ${((used.user + used.system) / 1e4 / took).toFixed(1)} %`);
}

async function main() {
  if (options.wait !== "nothing") await stepDone(options.wait);
  for (const path of options.fetch) {
    say(`GET ${path}`);
    await call("fetch", { method: "GET", path, headers: [], body: false });
    process.stdout.write("\n");
  }
  for (const line of lines) {
    say(`$ ${line}`);
    const before = performance.now();
    const { code } = await call("exec", { line, session: "node", tty: false, cols: 120, rows: 40 });
    say(`exit ${code} after ${(performance.now() - before).toFixed(0)} ms, ${memory()} MB`);
    if (options.trace) process.stdout.write(await tree());
  }
  if (options.heap) {
    const parts = [];
    const params = { method: "GET", path: "/debug/pprof/heap?gc=1", headers: [], body: false };
    await call("fetch", params, (chunk) => parts.push(Buffer.from(chunk)));
    writeFileSync(options.heap, Buffer.concat(parts));
    say(`what is alive: ${options.heap}`);
  }
  if (Number(options.idle) > 0) await rest(Number(options.idle));
  say(`memory ${memory()} MB`);
  return 0;
}
exit(await Promise.race([main(), new Promise((resolve) => (ended = resolve))]));
