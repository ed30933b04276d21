/*
 * The SDK as an npm package, in a project that is not ours: packed, unpacked, its types checked with
 * every library check on, built and served by Vite, or imported as it is: a cluster of it serves.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { once } from "node:events";
import http from "node:http";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { open } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");
// Below this repository, so that it finds its TypeScript and Vite; all else of it is its own.
const PROJECT = resolve("out/e2e-project");

const MAIN = `import { createCluster, type Change, type EmbeddedCluster } from "tabernetes";
import { runBlocks } from "tabernetes/blocks";
import "tabernetes/elements";

declare global {
  var begin: (assets: string) => Promise<number>;
}

const terminal = document.createElement("tabernetes-terminal");
export const text = (): string => terminal.text();
runBlocks({ root: document.body, cluster: { nodes: 1 } }).dispose();

globalThis.begin = async (assets) => {
  const cluster: EmbeddedCluster = createCluster({ assets, nodes: 0 });
  const seen: Change<never>["type"][] = [];
  cluster.watch("/api/v1/namespaces", (change) => seen.push(change.type));
  await cluster.serving;
  const { status } = await cluster.fetch("/version");
  cluster.dispose();
  return status;
};
`;
const PLAIN = `<!doctype html><title>Somebody's</title><script type="module">
  import { createCluster } from "./tabernetes.js";
  import "./elements.js";
  globalThis.begin = async (assets) => {
    const cluster = createCluster({ assets, nodes: 0 });
    await cluster.serving;
    const { status } = await cluster.fetch("/version");
    cluster.dispose();
    return status;
  };
</script>`;
const TSCONFIG = {
  compilerOptions: {
    target: "ES2022",
    module: "ESNext",
    moduleResolution: "Bundler",
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    types: [],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
  },
  include: ["main.ts"],
};
const TYPES = { ".html": "text/html", ".js": "text/javascript" };

test("packed, it is a dependency of somebody's Vite project", async (t) => {
  rmSync(PROJECT, { recursive: true, force: true });
  mkdirSync(join(PROJECT, "node_modules"), { recursive: true });
  const [{ filename, files }] = JSON.parse(
    execFileSync("npm", ["pack", resolve("out/sdk"), "--json"], {
      cwd: PROJECT,
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  const names = files.map(({ path }) => path);
  for (const wanted of [
    ...["tabernetes.js", "types/sdk/index.d.ts"],
    ...["LICENSE", "NOTICE", "THIRD-PARTY.md", "README.md", "API.md"],
  ])
    assert.ok(names.includes(wanted), `${wanted} is not in the package: ${names.join(" ")}`);
  // What unpacks the module of a published site is; the module is no part of it.
  const modules = names.filter((name) => name.endsWith(".wasm"));
  assert.match(modules.join(" "), /^brotli_dec_wasm_bg-[\w-]+\.wasm$/);
  execFileSync("tar", ["-xzf", filename], { cwd: PROJECT });
  cpSync(join(PROJECT, "package"), join(PROJECT, "node_modules/tabernetes"), { recursive: true });

  writeFileSync(join(PROJECT, "main.ts"), MAIN);
  writeFileSync(join(PROJECT, "tsconfig.json"), JSON.stringify(TSCONFIG));
  writeFileSync(join(PROJECT, "package.json"), '{"name":"somebodys","type":"module"}');
  writeFileSync(
    join(PROJECT, "index.html"),
    '<!doctype html><title>Somebody\'s</title><script type="module" src="./main.ts"></script>',
  );
  const npx = (...args) =>
    execFileSync("npx", ["--no-install", ...args], { cwd: PROJECT, stdio: "pipe" });
  npx("tsc", "-p", ".");
  npx("vite", "build", "--base", "./");

  await works(t, await serve(join(PROJECT, "dist")));
});

test("Vite's server of a project serves it while that is written", async (t) => {
  const vite = spawn("npx", ["--no-install", "vite", "--host", "127.0.0.1", "--port", "0"], {
    cwd: PROJECT,
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true, // npx starts it in turn
  });
  t.after(() => process.kill(-vite.pid, "SIGKILL"));
  for await (const line of createInterface({ input: vite.stdout })) {
    const [, address] = /(http:\/\/127\.0\.0\.1:\d+\/)/.exec(line) ?? [];
    if (address) return works(t, address);
  }
  throw new Error("Vite ended");
});

test("unpacked, a plain page imports it as it is", async (t) => {
  writeFileSync(join(PROJECT, "package/plain.html"), PLAIN);
  await works(t, `${await serve(join(PROJECT, "package"))}plain.html`);
});

/** Whether the project's script makes a cluster, with assets of another origin, and knows its elements. */
async function works(t, address) {
  await site.begun;
  const page = await open(t, site.browser, address);
  await page.waitForFunction(() => globalThis.begin !== undefined);
  const assets = new URL("assets/", site.url).href;
  assert.equal(await page.evaluate((from) => globalThis.begin(from), assets), 200);
  await page.waitForFunction(
    () => globalThis.customElements.get("tabernetes-terminal") !== undefined,
  );
}

test("the licence of all that is bundled is beside it", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const listed = (file) =>
    new Map(
      readFileSync(file, "utf8")
        .split(/^## (?=\S+ - \d)/m)
        .slice(1)
        .map((section) => [section.split(" ", 1)[0], section]),
    );
  const [page, sdk] = ["out/site/THIRD-PARTY.md", "out/sdk/THIRD-PARTY.md"].map(listed);
  for (const name of Object.keys(packages[""].dependencies)) {
    assert.ok(page.has(name), `${name} is a dependency, and its licence is not in the site`);
  }
  for (const name of [
    "lit-html",
    "marked",
    "@codemirror/view",
    "@xterm/xterm",
    "brotli-dec-wasm",
  ]) {
    assert.ok(sdk.has(name), `${name} is not in ${[...sdk.keys()]}`);
  }
  for (const [name, section] of [...page, ...sdk]) {
    assert.match(section, /Permission|Redistribution|Apache License/i, `${name} has no text`);
  }
});

/** A static server of somebody else's. */
async function serve(folder) {
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://theirs");
    const file = join(folder, pathname.endsWith("/") ? "index.html" : pathname);
    if (!file.startsWith(folder) || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" });
    response.end(readFileSync(file));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}
