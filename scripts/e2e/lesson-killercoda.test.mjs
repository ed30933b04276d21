/*
 * A scenario in Killercoda's form, opened as it lies on its author's host: as an element of a page of somebody
 * else's, and in the workbench, which reads it by the terminal's curl and asks its reader first.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import { after, test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, launch, open, ready, screenshot, terminalText } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");

/** The scenarios that nodehost's check reads and runs, and hostile ones. */
const ONE = (text) =>
  `{"title": "T<b>", "details": {"steps": [{"title": "S", "text": "${text}"}]}, "backend": {"imageid": "kubernetes-kubeadm-1node"}}`;
const FILES = {
  ...kept("first-pod"),
  ...kept("refused"),
  "/hostile/index.json": ONE("a.md"),
  "/hostile/a.md":
    "<script>globalThis.bad = 1</script>\n\n<img src=x onerror='globalThis.bad = 1'>\n\n[x](javascript:globalThis.bad=1) `kubectl get nodes`{{exec}}\n",
  "/climbs/index.json": ONE("../hostile/a.md"),
  "/moved/index.json": "moved",
  "/leads-text/index.json": ONE("a.md"),
};

function kept(name) {
  const folder = `nodehost/lesson/check/testdata/${name}`;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`)
      .map((path) => [path.replace(folder, `/${name}`), readFileSync(path, "utf8")]),
  );
}

const asked = [];
function answer(request, response, page) {
  const { pathname } = new URL(request.url, "http://a");
  asked.push(pathname);
  response.setHeader("access-control-allow-origin", "*");
  if (pathname === "/leads/index.json" || pathname === "/leads-text/a.md") {
    const to = "https://other.example/first-pod/index.json";
    return response.writeHead(302, { location: to }).end();
  }
  if (pathname === "/near/index.json")
    return response.writeHead(302, { location: "/first-pod/index.json" }).end();
  if (pathname === "/moved/index.json") {
    return response.writeHead(302, { location: "/nowhere.html" }).end();
  }
  if (
    pathname === "/nowhere.html" ||
    pathname === "/page/lesson.md" ||
    pathname === "/page/index.json"
  )
    return response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Hello");
  if (pathname === "/endless/index.json") {
    const more = () => {
      while (response.write(" ".repeat(65_536)));
      response.once("drain", more);
    };
    return more();
  }
  const text = page?.[pathname] ?? FILES[pathname];
  response.writeHead(text === undefined ? 404 : 200, {
    "content-type": pathname === "/" ? "text/html" : "text/plain",
  });
  return response.end(text ?? "");
}

async function listening(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return server.address().port;
}

test("a scenario as an element of somebody's page", async (t) => {
  await site.begun;
  const ours = new URL(site.url).origin;
  const page = {
    "/": `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>Somebody's</title><link rel="stylesheet" href="style.css">
<script type="module" src="${ours}/sdk/elements.js"></script>
<main><h1>Learn</h1>
${["first-pod/index.json", "refused/", "climbs/", "page/", "endless/index.json", "moved/index.json"]
  .map(
    (src) =>
      `<tabernetes-lesson id="${src.split("/")[0]}" src="${src}" reveal></tabernetes-lesson>`,
  )
  .join("\n")}
</main></html>`,
  };
  const port = await listening(http.createServer((rq, rs) => answer(rq, rs, page)));
  const tab = await open(t, site.browser, `http://127.0.0.1:${port}/`, DESKTOP);
  const one = tab.locator("#first-pod");
  await one.getByRole("heading", { name: "1. Introduction" }).waitFor();
  await tab.locator("#refused").getByText('init.sh:3: "apt-get" is not here').waitFor();
  await tab.locator("#refused").getByText("one.md:8: {{TRAFFIC_HOST1_8080}} is not here").waitFor();
  await tab.locator("#climbs").getByText('"../hostile/a.md" is no file of the scenario').waitFor();
  await tab.locator("#page").getByText("its host answered with a page").waitFor();
  await tab.locator("#moved").getByText("its host answered with a page").waitFor();
  await tab.locator("#endless").getByText("has more than 262144 bytes").waitFor();
  assert.equal(tab.workers().length, 0, "nothing starts by itself");
  // What runs unseen can be seen before.
  await one.getByText("What this lesson runs without showing it").click();
  await one.getByText("kubectl create namespace lab").waitFor();
  await one.getByText("grep Running").waitFor();
  assert.deepEqual(await violations(tab), []);
  await screenshot(tab, "killercoda-element");

  await one.getByRole("button", { name: "2. Run it" }).click();
  await one.getByRole("button", { name: "Check" }).click();
  await one.getByText(/^✗/).waitFor({ timeout: 300_000 });
  await one.getByRole("button", { name: "Do it for me" }).click();
  await one.getByText("The cluster is as this step expects it.").waitFor({ timeout: 120_000 });
  await one.getByRole("button", { name: "Run", exact: true }).click();
  await one.getByText("pod/web condition met").waitFor({ timeout: 120_000 });
  await one.getByRole("button", { name: /^Check/ }).click();
  await one.locator(".task.done").waitFor();
  await screenshot(tab, "killercoda-element-done");
});

test("a scenario in the workbench: read by the terminal, shown, and then opened", async (t) => {
  const dir = mkdtempSync(`${tmpdir()}/scenario-`);
  t.after(() => rmSync(dir, { recursive: true }));
  const files = ["-keyout", `${dir}/key`, "-out", `${dir}/cert`, "-subj", "/CN=lesson.example"];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", ...files],
    { stdio: "ignore" },
  );
  const tls = { key: readFileSync(`${dir}/key`), cert: readFileSync(`${dir}/cert`) };
  const port = await listening(https.createServer(tls, (rq, rs) => answer(rq, rs)));
  const browser = await launch([`--host-resolver-rules=MAP *.example 127.0.0.1:${port}`]);
  t.after(() => browser.close());
  await site.begun;
  const page = await open(t, browser, site.url, { ...DESKTOP, ignoreHTTPSErrors: true });
  await ready(page);
  const go = (url) =>
    page.evaluate(
      (to) => (globalThis.location.hash = `#/lessons?url=${encodeURIComponent(to)}`),
      url,
    );
  const view = page.locator("tn-lessons");
  const from = "https://lesson.example";

  await go(`${from}/first-pod/index.json`);
  await view.getByRole("heading", { name: "A first pod" }).waitFor({ timeout: 60_000 });
  await view.getByText("kubectl create namespace lab").waitFor();
  await view.getByText("grep Running").waitFor();
  const namespaces = () => page.evaluate(() => globalThis.tabernetes.kubectl("get ns -o name"));
  assert.doesNotMatch((await namespaces()).stdout, /lab/, "run unasked");
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "killercoda-asks");
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await screenshot(page, "killercoda-asks-phone");
  await page.setViewportSize(DESKTOP.viewport);

  const before = asked.length;
  await view.getByRole("button", { name: "Open the lesson" }).click();
  await view.getByRole("heading", { name: "1. Introduction" }).waitFor();
  assert.doesNotMatch((await namespaces()).stdout, /lab/, "run unasked");
  assert.equal(asked.length, before, "what was shown is what is used");
  await view.getByRole("button", { name: "2. Run it" }).click();
  await view.getByRole("button", { name: "Do it for me" }).click();
  await view.getByText("The cluster is as this step expects it.").waitFor({ timeout: 120_000 });
  assert.match((await namespaces()).stdout, /namespace\/lab/);
  await view.getByRole("button", { name: "Run", exact: true }).click();
  await view.getByText("✓ Done, in the terminal").waitFor({ timeout: 120_000 });
  assert.match(await terminalText(page), /pod\/web condition met/);
  await view.getByRole("button", { name: "Check" }).click();
  await view.locator(".task.done").waitFor();
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "killercoda-open");
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await screenshot(page, "killercoda-open-phone");
  await page.setViewportSize(DESKTOP.viewport);

  for (const [path, says] of [
    ["/refused/", 'verify.sh:2: "docker" is not here'],
    ["/climbs/index.json", '"../hostile/a.md" is no file of the scenario'],
    ["/page/", "its host answered with a page"],
    ["/moved/index.json", "its host answered with a page"],
    ["/endless/index.json", "has more than 262144 bytes"],
    ["/nothing/index.json", "its host says 404"],
  ]) {
    await go(`${from}${path}`);
    await view.getByRole("alert").filter({ hasText: says }).waitFor({ timeout: 60_000 });
    if (path === "/refused/") await screenshot(page, "killercoda-refused");
  }
  // Nobody has named the host that another one leads to: its reader is asked.
  await go(`${from}/leads-text/index.json`);
  await view
    .getByText(/"a\.md" cannot be read: .* leads to another host, other\.example/)
    .waitFor();
  await go(`${from}/near/index.json`);
  await view.getByText('"intro.md" cannot be read: its host has no such file').waitFor();
  await go(`${from}/leads/index.json`);
  await view.getByText("leads to another host, other.example").waitFor({ timeout: 60_000 });
  await screenshot(page, "killercoda-leads");
  assert.deepEqual(await violations(page), []);
  await view.getByRole("link", { name: "Open it from other.example" }).click();
  await view.getByText("https://other.example/first-pod/index.json").waitFor();
  await view.getByRole("heading", { name: "A first pod" }).waitFor({ timeout: 60_000 });
  for (const url of [
    "http://lesson.example/",
    "https://localhost/",
    "https://10.0.0.1/index.json",
  ]) {
    await go(url);
    await view.getByText("The address of the lesson cannot be read").waitFor();
  }
  // Markup is text, and a lesson is not in the way of the next.
  await go(`${from}/hostile/index.json`);
  await view.getByRole("heading", { name: "T<b>" }).waitFor({ timeout: 60_000 });
  await view.getByRole("button", { name: "Open the lesson" }).click();
  await view.getByText("<script>globalThis.bad = 1</script>", { exact: true }).waitFor();
  await view.getByText("This lesson has mistakes").waitFor();
  assert.equal(await view.locator("script, img").count(), 0);
  assert.equal(await page.evaluate(() => globalThis.bad), undefined);
  assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
});
