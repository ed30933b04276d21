/*
 * Runs the browser tests: builds what they need beside the site, then `node --test` over the files
 * named, or over all of them. Words after "--" go to node.
 *
 *   node scripts/e2e/run.mjs                    every *.test.mjs here
 *   node scripts/e2e/run.mjs views faults       two of them
 *
 * `views` needs the page in mode "fake", `faults` the page, all others the whole out/site.
 * Everything that pages wrote to their consoles is in out/e2e/, screenshots in out/screenshots/.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const names = process.argv.slice(2);
const files = readdirSync("scripts/e2e")
  .filter((file) => file.endsWith(".test.mjs"))
  .filter((file) => names.length === 0 || names.includes(file.replace(".test.mjs", "")))
  .map((file) => `scripts/e2e/${file}`);
if (files.length === 0) {
  console.error(`no test is named ${names.join(" or ")}`);
  process.exit(2);
}

rmSync("out/e2e", { recursive: true, force: true });
mkdirSync("out/e2e", { recursive: true });
const run = (command, ...args) => execFileSync(command, args, { stdio: ["ignore", "ignore", 2] });
if (files.some((file) => file.includes("views")))
  run("npx", "--no-install", "vite", "build", "--mode", "fake");
if (!existsSync("out/site/index.html")) run("npx", "--no-install", "vite", "build");
// One binary, not `go run` in each test.
run("go", "build", "-o", "out/e2e/serve", "./scripts/serve");

const { status } = spawnSync(
  process.execPath,
  // Two at a time: each of them may hold a whole cluster, and waits for it more than it works.
  ["--test", "--test-concurrency=2", "--test-timeout=1200000", ...files],
  { stdio: "inherit" },
);
process.exit(status ?? 1);
