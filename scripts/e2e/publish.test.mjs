/*
 * The published site (scripts/publish) on a host that does nothing but serve files below a path: no
 * brotli, no ranges, no headers of ours. Its first visit, one that breaks off, and those without a host.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import http from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { DESKTOP, launch, open, ready, screenshot, sh } from "./browser.mjs";
import { until } from "./look.mjs";

const DIR = "out/publish";
const BELOW = "/a/b/";
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/**
 * A careless host. `answer(name, response, content)` may answer in its place, and returns true then;
 * `asked` has the names of the files that were asked for. It lets pages of other origins read, as
 * GitHub Pages does.
 */
async function host(t, answer = () => false) {
  const asked = [];
  const server = http.createServer(({ url }, response) => {
    const { pathname } = new URL(url, "http://host");
    const name = pathname.startsWith(BELOW) ? pathname.slice(BELOW.length) || "index.html" : "";
    asked.push(name);
    const file = join(DIR, name);
    const there = name !== "" && statSync(file, { throwIfNoEntry: false })?.isFile();
    response.setHeader("access-control-allow-origin", "*");
    if (answer(name, response, there ? readFileSync(file) : undefined)) return;
    if (!there) return void response.writeHead(404, { "content-type": "text/html" }).end("<p>No.");
    response
      .writeHead(200, {
        "content-type": TYPES[extname(name)] ?? "application/octet-stream",
        "last-modified": statSync(file).mtime.toUTCString(),
      })
      .end(readFileSync(file));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  t.after(close);
  const origin = `http://127.0.0.1:${server.address().port}`;
  return { origin, url: `${origin}${BELOW}`, asked, close };
}

test("a link to it has a title, words and a picture at its whole address", () => {
  const html = readFileSync(join(DIR, "index.html"), "utf8");
  const content = (name) =>
    new RegExp(`<meta\\s+(?:name|property)="${name}"\\s+content="([^"]*)"`).exec(html)?.[1];
  assert.match(content("og:title"), /^Tabernetes: /);
  assert.match(content("og:description"), /Kubernetes/);
  const at = process.env.AT ?? "https://kube.example/a/b/";
  assert.equal(content("og:url"), at);
  assert.equal(content("og:image"), `${at}link.png`);
  assert.equal(content("twitter:card"), "summary_large_image");
  const picture = readFileSync(join(DIR, "link.png"));
  assert.equal(picture.subarray(1, 4).toString(), "PNG");
  const size = [content("og:image:width"), content("og:image:height")].map(Number);
  assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], size);
});

/** Waits until Settings says that a visit needs no network. */
async function kept(page, words = /A visit needs none/) {
  await page.evaluate(() => (location.hash = "#/settings"));
  await page.locator("tn-settings").getByText(words).waitFor({ timeout: 120_000 });
}

const parts = (asked) => asked.filter((name) => name.endsWith(".part"));

test("below a path of any host; then without it; then a newer version", async (t) => {
  let newer;
  const site = await host(t, (name, response) => {
    if (!newer || !(name in newer)) return false;
    response.writeHead(200, { "content-type": TYPES[extname(name)] }).end(newer[name]);
    return true;
  });
  const page = await open(t, browser, site.url, DESKTOP);
  await ready(page);
  assert.match(await sh(page, "kubectl get nodes -o name"), /node\/node-1/);
  const first = parts(site.asked);
  assert.ok(first.length > 10, `${first.length} parts`);
  assert.equal(new Set(first).size, first.length, "each part once");
  await kept(page);
  assert.deepEqual(await hindrances(page), []);
  await screenshot(page, "publish-kept");
  // On this first visit already its compiled code is asked for, through a service worker that does not answer for the page.
  assert.equal(await page.evaluate(() => navigator.serviceWorker.controller), null);
  await until(
    page,
    (visits) => visits === "1",
    () => codeAsked(page),
    60_000,
  );

  // The next visit comes from this browser alone. The host has a newer page meanwhile.
  site.asked.length = 0;
  newer = next();
  await page.reload();
  await ready(page);
  assert.equal(await version(page), null, "the version that was kept");
  assert.deepEqual(parts(site.asked), []);
  assert.match(await sh(page, "kubectl get nodes -o name"), /node\/node-1/);
  // The newer version waits for the last page of the older one to go.
  await kept(page);
  await until(
    page,
    (waiting) => waiting,
    () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        await registration.update();
        return registration.waiting !== null;
      }),
    60_000,
  );
  const context = page.context();
  await page.close();
  const again = await context.newPage();
  // The browser takes a moment to see that the page has gone; another one before that would keep the older version. A
  // page beside what is published is none of its.
  await again.goto(site.origin);
  await until(
    again,
    (waiting) => !waiting,
    () =>
      again.evaluate(
        async (url) => (await navigator.serviceWorker.getRegistration(url)).waiting !== null,
        site.url,
      ),
    60_000,
  );
  await again.goto(site.url);
  assert.equal(await version(again), "newer");

  await site.close();
  await again.reload();
  assert.equal(await version(again), "newer");
  await ready(again);
  assert.match(await sh(again, "kubectl get nodes -o name"), /node\/node-1/);

  // Nor do its lessons need one, which stand on the SDK.
  await again.goto(`${site.url}lessons/`);
  await again.getByRole("link", { name: "What happens when" }).click();
  const lesson = again.locator("tabernetes-lesson");
  await lesson.getByRole("button", { name: /^Run/ }).first().click();
  await lesson.getByText("✓ Done").first().waitFor({ timeout: 120_000 });
  await screenshot(again, "publish-lesson-offline");
});

test("a page of lessons keeps what its next visit needs, though the site's own page was never opened", async (t) => {
  const site = await host(t);
  const page = await open(t, browser, `${site.url}lessons/index.html#walk`, DESKTOP);
  const runs = async () => {
    const lesson = page.locator("tabernetes-lesson");
    await lesson.getByRole("button", { name: /^Run/ }).first().click();
    await lesson.getByText("✓ Done").first().waitFor({ timeout: 120_000 });
  };
  await runs();
  await until(
    page,
    (visits) => visits === "1",
    () => codeAsked(page),
    120_000,
  );
  await site.close();
  await page.reload();
  await runs();
});

/** In how many visits web/offline/code.ts had the module's compiled code kept. */
async function codeAsked(page) {
  return page.evaluate(async () => {
    const cache = await globalThis.caches.open("tabernetes-module");
    const note = (await cache.keys()).find(({ url }) => url.endsWith(".wasm.code"));
    return note && (await cache.match(note)).text();
  });
}

/** Why Chromium would not offer to install the page as an app. Tests run in private windows, which is one reason. */
async function hindrances(page) {
  const devtools = await page.context().newCDPSession(page);
  const { errors } = await devtools.send("Page.getAppManifest");
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  return [...errors, ...installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")];
}

const version = (page) => page.locator("html").getAttribute("data-version");

/** The site's next version, of which only the page itself differs. */
function next() {
  const html = readFileSync(join(DIR, "index.html"), "utf8");
  const page = html.replace('<html lang="en"', '<html lang="en" data-version="newer"');
  const digest = (text) => createHash("sha256").update(text).digest("base64");
  const script = readFileSync(join(DIR, "sw.js"), "utf8");
  const sw = script
    .replace(digest(html), digest(page))
    .replace(/\\"build\\":\\"[0-9a-f]+/, '\\"build\\":\\"000000000000');
  assert.notEqual(script, sw);
  return { "index.html": page, "sw.js": sw };
}

test("a connection that breaks once in every part, and a page in the place of one", async (t) => {
  const broken = new Set();
  let missing; // the twelfth that is asked for: by its name it may be the first, after which nothing was good yet
  const asked = new Set();
  const welcome = (response) => {
    // What hosts of single pages do.
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Welcome");
    return true;
  };
  const site = await host(t, (name, response, content) => {
    if (name === "badge.svg") return welcome(response);
    if (!name.endsWith(".part")) return false;
    if (asked.add(name).size === 12) missing ??= name;
    if (name === missing) return welcome(response);
    if (broken.has(name)) return false;
    broken.add(name);
    response.writeHead(200, { "content-length": content.length });
    response.write(content.subarray(0, 1 + Math.floor((content.length * broken.size) / 60)));
    setTimeout(() => response.destroy(), 20);
    return true;
  });
  const page = await open(t, browser, site.url, DESKTOP);
  const fault = page.locator(".boot.fault");
  await fault.waitFor({ timeout: 120_000 });
  const said = await fault.innerText();
  assert.match(said, /part tabernetes\.[0-9a-f]+\.part did not come in 4 attempts/);
  assert.match(said, /the server sent a web page/);
  await screenshot(page, "publish-fault");

  // Once the host is mended, what was good is not loaded again.
  missing = "";
  const good = new Set(parts(site.asked));
  site.asked.length = 0;
  await page.reload();
  await ready(page);
  const again = parts(site.asked).filter((name) => good.has(name));
  assert.ok(again.length < good.size / 2, `${again.length} of ${good.size} once more`);
  assert.match(await sh(page, "kubectl get ns default -o name"), /namespace\/default/);
  // One file that is not as it was published: the next visit needs the host, and Settings says why.
  await kept(
    page,
    /Each visit needs the network: .* badge\.svg, as the host sends it, is not what/,
  );
});

test("one version of the SDK, by its digest, in a page of another origin", async (t) => {
  const site = await host(t);
  const [build] = readFileSync(join(DIR, ".published-by-tabernetes"), "utf8").split("\n");
  const name = `v/${build}/sdk/tabernetes.js`;
  const integrity = `sha384-${createHash("sha384")
    .update(readFileSync(join(DIR, name)))
    .digest("base64")}`;
  const page = await open(t, browser, `${site.origin.replace("127.0.0.1", "localhost")}/`, DESKTOP);
  await page.evaluate(
    ([src, integrity]) =>
      new Promise((resolve, reject) => {
        const script = Object.assign(document.createElement("script"), {
          type: "module",
          crossOrigin: "anonymous",
          integrity,
          src,
          onload: resolve,
          onerror: () => reject(new Error("the script was refused")),
        });
        document.head.append(script);
      }),
    [site.url + name, integrity],
  );
  const nodes = await page.evaluate(async (src) => {
    const { createCluster } = await import(src);
    const cluster = createCluster({ nodes: 1 });
    await cluster.ready;
    const { stdout } = await cluster.kubectl("get nodes -o name");
    cluster.dispose();
    return stdout;
  }, site.url + name);
  assert.equal(nodes, "node/node-1\n");
});
