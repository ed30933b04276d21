/*
 * Tries the edge (wasm/edge) once in workerd, by `wrangler dev`, over the published site: scripts/edge test.
 * What the Worker decides is tested natively (wasm/edge/shares); this is about Cloudflare's side of it: the
 * bindings, which requests reach it, and what the platform makes of the site's files and _headers.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { deflateRawSync } from "node:zlib";
import { launch, open, ready as clusterReady, sh } from "./e2e/browser.mjs";

const { WRANGLER } = process.env;
assert.ok(WRANGLER, "run scripts/edge test");

const kept = mkdtempSync(join(tmpdir(), "edge-"));
const port = await free();
const site = `http://127.0.0.1:${port}`;
const args = ["--config", "wasm/edge/wrangler.jsonc", "--port", `${port}`, "--inspector-port", "0"];
const child = spawn("npx", ["--yes", WRANGLER, "dev", ...args, "--persist-to", kept], {
  detached: true, // npx starts others: they end as a group
  env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1" },
  stdio: ["ignore", "pipe", "pipe"],
});
const ended = once(child, "exit");
const said = [];
const ready = new Promise((resolve, reject) => {
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      said.push(line);
      if (line.includes("Ready on")) resolve();
    });
  }
  ended.then(([code]) => reject(new Error(`wrangler ended with code ${code}`)));
});
try {
  await ready;
  await files();
  await page();
  await shares();
  console.log("the edge: ok");
} catch (error) {
  console.error(said.slice(-60).join("\n"));
  throw error;
} finally {
  try {
    process.kill(-child.pid, "SIGTERM");
  } catch {
    // It has ended by itself.
  }
  await ended;
  rmSync(kept, { recursive: true, force: true });
}

/** The site's files, as Cloudflare serves them by _headers. */
async function files() {
  const part = readdirSync("out/publish/assets").find((name) => name.endsWith(".part"));
  const [build] = readFileSync("out/publish/.published-by-tabernetes", "utf8").split("\n");
  const frame = readdirSync("out/publish/page").find((name) => /^frame-.*\.html$/.test(name));
  const [paged, shared] = ["page", "sdk"].map((folder) =>
    readdirSync(`out/publish/${folder}`).find((name) => /^container-.*\.html$/.test(name)),
  );
  const forever = "public, max-age=31536000, immutable";
  const expected = {
    "/": {
      "content-type": /^text\/html/,
      "content-security-policy": "frame-ancestors 'self'",
      "document-isolation-policy": null,
    },
    "/embed/": {
      "content-type": /^text\/html/,
      "content-security-policy": null,
      "document-isolation-policy": null,
    },
    "/sw.js": { "content-type": /javascript/ },
    "/app.webmanifest": { "content-type": /^application\/manifest\+json/ },
    "/badge.svg": { "content-type": /^image\/svg\+xml/ },
    [`/assets/${part}`]: { "cache-control": forever, "access-control-allow-origin": "*" },
    [`/v/${build}/sdk/tabernetes.js`]: {
      "content-type": /javascript/,
      "cache-control": forever,
      "access-control-allow-origin": "*",
    },
    [`/page/${frame}`]: { "content-security-policy": /sandbox allow-scripts allow-forms/ },
    // The frames of containers: the page's, and those that pages of others frame.
    [`/page/${paged}`]: {
      "content-security-policy": "frame-ancestors 'self'",
      "document-isolation-policy": "isolate-and-credentialless",
    },
    ...Object.fromEntries(
      [`/sdk/${shared}`, `/v/${build}/sdk/${shared}`].map((path) => [
        path,
        {
          "content-security-policy": null,
          "document-isolation-policy": "isolate-and-credentialless",
        },
      ]),
    ),
    "/nothing": { status: 404 },
  };
  for (const [path, { status = 200, ...headers }] of Object.entries(expected)) {
    const response = await fetch(site + path);
    assert.equal(response.status, status, path);
    for (const [name, value] of Object.entries(headers)) {
      const got = response.headers.get(name);
      if (value instanceof RegExp) assert.match(got ?? "", value, `${path} ${name}`);
      else assert.equal(got, value, `${path} ${name}`);
    }
    if (status === 200)
      assert.equal(response.headers.get("x-content-type-options"), "nosniff", path);
    const body = Buffer.from(await response.arrayBuffer());
    if (path.startsWith("/assets/")) {
      assert.deepEqual(
        body,
        readFileSync(`out/publish${path}`),
        "a part is not what was published",
      );
    }
  }
  const ranged = await fetch(`${site}/assets/${part}`, { headers: { range: "bytes=10-19" } });
  const { byteLength } = await ranged.arrayBuffer();
  console.log(`edge: a range of 10 bytes is answered with ${ranged.status}, ${byteLength} bytes`);
}

/** Short links, by KV and the rate limit of workerd. */
async function shares() {
  const packed = deflateRawSync("kind: Pod\n").toString("base64url");
  const share = (text, headers = {}) =>
    fetch(`${site}/s/`, { method: "POST", body: text, headers });
  assert.deepEqual(await (await fetch(`${site}/s/`)).json(), { days: 30 });
  assert.equal((await fetch(`${site}/s/aaaaaaaaaaaaaaaa`)).status, 404, "before it is there");

  const made = await share(packed, { "sec-fetch-site": "same-origin" });
  assert.equal(made.status, 201, await made.clone().text());
  const { id } = await made.json();
  const given = await fetch(`${site}/s/${id}`, { headers: { "sec-fetch-dest": "empty" } });
  assert.equal(given.status, 200);
  assert.equal(await given.text(), packed);
  assert.match(given.headers.get("content-security-policy"), /sandbox/);
  const opened = await fetch(`${site}/s/${id}`, {
    headers: { "sec-fetch-dest": "document" },
    redirect: "manual",
  });
  assert.equal(opened.status, 302);
  assert.equal(opened.headers.get("location"), `../#/shared/${id}`);

  assert.equal((await share("<script>")).status, 400);
  assert.equal((await share("A".repeat(100_000))).status, 413);
  assert.equal((await share(packed, { origin: "https://evil.example" })).status, 403);
  // What it costs that Go is started for each request, beside a file of Cloudflare's.
  const took = { worker: await median(`${site}/s/`), file: await median(`${site}/badge.svg`) };
  for (const [what, value] of Object.entries(took)) {
    console.log(`edge_${what} ${value.toFixed(1)} ms`);
  }

  let refused = 0;
  for (let i = 0; i < 15; i++) refused += (await share(packed)).status === 429 ? 1 : 0;
  assert.ok(refused > 0, "the rate is not limited");
}

/** A cluster's manifest there and back, in Chromium: what the edge is for. */
async function page() {
  const browser = await launch();
  try {
    const t = { name: "edge", after: () => undefined, diagnostic: console.error };
    const page = await open(t, browser, site);
    await clusterReady(page);
    await sh(page, "kubectl create configmap mine --from-literal=a=b");
    await page.evaluate(() => (globalThis.location.hash = "#/share"));
    await page.locator("tn-share").getByText("default/mine", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Make a short link" }).click();
    await page.getByRole("button", { name: "Copy short link" }).waitFor();
    const link = await page.locator("tn-share .row code").innerText();
    assert.match(link, new RegExp(`^${site}/s/[A-Za-z0-9_-]{16}$`));
    await sh(page, "kubectl delete configmap mine");
    await page.goto(link);
    await clusterReady(page);
    await page.locator("tn-open").getByText("default/mine", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.waitForFunction(() =>
      document.querySelector("tn-terminal").text().includes("configmap/mine created"),
    );
    assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
  } finally {
    await browser.close();
  }
}

/** Milliseconds of a request, one after the other. */
async function median(url) {
  const all = [];
  for (let i = 0; i < 31; i++) {
    const begin = performance.now();
    await (await fetch(url)).arrayBuffer();
    all.push(performance.now() - begin);
  }
  return all.sort((a, b) => a - b)[15];
}

/** A port that nobody has. */
async function free() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}
