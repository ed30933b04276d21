/*
 * Runs the browser tests: builds what they need beside the site, then `node --test` over the files
 * named, or over all of them.
 *
 *   node scripts/e2e/run.mjs                    every *.test.mjs here
 *   node scripts/e2e/run.mjs views faults       two of them
 *
 * `views` needs the page in mode "fake", `faults` the page, all others the whole out/site.
 * Everything that pages wrote to their consoles is in out/e2e/, screenshots in out/screenshots/.
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { eventsOf } from "../testsummary/events.mjs";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const names = process.argv.slice(2);
const files = readdirSync("scripts/e2e")
  .filter((file) => file.endsWith(".test.mjs"))
  .filter((file) => names.length === 0 || names.includes(file.replace(".test.mjs", "")))
  .map((file) => `scripts/e2e/${file}`);
// Who waits for a node to be taken for lost waits beside the others, and not after them.
files.sort((a, b) => Number(b.includes("workbench")) - Number(a.includes("workbench")));
if (files.length === 0) {
  console.error(`no test is named ${names.join(" or ")}`);
  process.exit(2);
}

rmSync("out/e2e", { recursive: true, force: true });
mkdirSync("out/e2e", { recursive: true });
const build = (command, ...args) =>
  execFileSync(command, args, {
    stdio: ["ignore", "ignore", 2],
    // What is tested is the same however hard it was compressed, and eleven takes minutes.
    env: { BROTLI: "5", AT: "https://kube.example/a/b/", ...process.env },
  });
if (files.some((file) => file.includes("views")))
  build("npx", "--no-install", "vite", "build", "--mode", "fake");
// Nobody tests yesterday's page: what did not change is not built again.
if (files.some((file) => !file.includes("views"))) build("scripts/build");
if (files.some((file) => file.includes("publish"))) build("scripts/publish");
// One binary, not `go run` in each test.
build("go", "build", "-o", "out/e2e/serve", "./scripts/serve");

// Three at a time: each of them may hold a whole cluster, and waits for it more than it works. A file
// that fails beside another one is run once more, alone: what fails twice is broken.
const told = eventsOf("page--in-Chromium");
const failed = await test(files, 3);
if (failed.size > 0) {
  const files = [...failed.keys()];
  console.log(`once more, alone: ${files.join(" ")}`);
  const twice = await test(files, 1);
  process.exitCode = twice.size > 0 ? 1 : 0;
  for (const [file, titles] of failed)
    for (const title of titles) if (!twice.get(file)?.has(title)) told.passed(file, title);
}

/** Runs test files; of those that failed it returns the titles of the tests that did. */
async function test(files, concurrency) {
  const failed = new Map();
  const timeout = process.env.TABERNETES_LONG ? 7_200_000 : 1_200_000;
  const tests = run({ files, concurrency, timeout });
  tests.on("test:pass", ({ file, name, skip }) => {
    if (skip !== undefined) told.skipped(relative("", file), name, String(skip));
  });
  tests.on("test:fail", ({ file, name, details }) => {
    const key = relative("", file ?? name);
    const titles = failed.get(key) ?? new Set();
    failed.set(key, titles);
    const { cause, failureType } = details.error;
    if (failureType === "subtestsFailed") return; // they speak for themselves
    titles.add(name);
    told.failed(key, name, String(cause?.message ?? cause ?? failureType));
  });
  tests.compose(new spec()).pipe(process.stdout);
  await once(tests, "end");
  return failed;
}
