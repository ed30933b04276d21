/*
 * The frame in somebody's page, which takes no script: what its address says is shown, and runs on a
 * click; its parent learns how far it is, and nothing else.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { after, test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, open, screenshot } from "./browser.mjs";
import { until } from "./look.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");

/** A page of another origin with frames, and a policy that allows nothing else. */
async function theirs(frames) {
  await site.begun;
  const ours = new URL(site.url).origin;
  const body = frames
    .map(([id, hash, sandbox]) => {
      const address = `${ours}/embed/${hash}`.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
      return `<iframe id="${id}" title="${id}" src="${address}" ${sandbox ? 'sandbox="allow-scripts"' : ""}></iframe>`;
    })
    .join("\n");
  const html = `<!doctype html><html lang="en"><title>Theirs</title><link rel="stylesheet" href="style.css"><main><h1>Theirs</h1>${body}</main></html>`;
  const style = "main{max-width:900px;margin:auto}iframe{width:100%;height:320px;border:0}";
  const server = http.createServer(({ url }, response) => {
    response.writeHead(200, {
      "content-type": url === "/" ? "text/html" : "text/css",
      "content-security-policy": `default-src 'none'; style-src 'self'; frame-src ${ours}`,
    });
    response.end(url === "/" ? html : style);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  return `http://localhost:${server.address().port}/`;
}

const listens = () => {
  globalThis.heard = [];
  globalThis.addEventListener("message", ({ data, origin }) =>
    globalThis.heard.push({ data, origin }),
  );
};

test("in a sandbox, in a page that allows no script: shown first, run on a click", async (t) => {
  const lines = ["kubectl get ns lesson -o name", 'echo "<b>done</b> & $((40 + 2))"'];
  const hash = `#${new globalThis.URLSearchParams([
    ["nodes", "1"],
    ["theme", "dark"],
    ["manifest", "{apiVersion: v1, kind: Namespace, metadata: {name: lesson}}"],
    ...lines.map((line) => ["run", line]),
  ])}`;
  const address = await theirs([["boxed", hash, true]]);
  const page = await open(t, site.browser, address, DESKTOP, listens);
  const frame = page.frameLocator("#boxed");
  const button = frame.getByRole("button", { name: "Start Kubernetes here and run this" });
  await button.waitFor();
  assert.equal(await frame.locator("tabernetes-terminal pre").innerText(), lines.join("\n"));
  assert.match(await frame.locator("details pre").textContent(), /kind: Namespace/);
  await frame.getByText(/\d+ MB are downloaded, once\./).waitFor();
  await screenshot(page, "frame-waiting");
  assert.deepEqual(await violations(page), []);
  assert.equal(page.workers().length, 0, "nothing starts by itself");

  await button.click();
  const terminal = frame.locator("tabernetes-terminal");
  await terminal.locator(".xterm").waitFor({ timeout: 60_000 });
  await until(
    page,
    (shown) => /namespace\/lesson[\s\S]*<b>done<\/b> & 42/.test(shown),
    () => terminal.evaluate((element) => element.text()),
    60_000,
  );
  await screenshot(page, "frame-open");
  const heard = await page.evaluate(() => globalThis.heard);
  assert.deepEqual(
    [...new Set(heard.map(({ data }) => data.state))],
    ["waiting", "starting", "ready"],
  );
  for (const { data, origin } of heard) {
    assert.equal(origin, "null", "it has no origin that it could use anything of");
    assert.deepEqual(Object.keys(data).sort(), ["height", "state", "type"]);
  }
  assert.equal(
    await page.evaluate(() => document.activeElement.id),
    "boxed",
    "who pressed the button goes on typing",
  );
});

test("an address with what it does not know, or hides something, does nothing", async (t) => {
  const address = await theirs([
    ["unknown", "#hub=wss://evil.example"],
    ["hidden", `#run=${encodeURIComponent("echo a\u202eb")}`],
    ["long", `#run=${"x".repeat(100_000)}`],
    ["markup", "#<img src=x onerror=alert(1)>=1"],
  ]);
  const page = await open(t, site.browser, address, DESKTOP, listens);
  for (const [id, words] of [
    ["unknown", '"hub", which it does not know'],
    ["hidden", "characters that cannot be seen"],
    ["long", "65536 are taken"],
    ["markup", '"<img src"'],
  ]) {
    const alert = page.frameLocator(`#${id}`).getByRole("alert");
    await alert.waitFor();
    assert.ok((await alert.innerText()).includes(words), await alert.innerText());
  }
  assert.equal(page.workers().length, 0);
  const states = await page.evaluate(() => globalThis.heard.map(({ data }) => data.state));
  assert.deepEqual([...new Set(states)], ["failed"]);
});

test("a parent that wants to have it run something: messages and another address start nothing", async (t) => {
  const address = await theirs([
    ["held", "#run=kubectl+get+nodes", true],
    ["high", `#${"manifest=kind:+Pod&".repeat(30)}run=true`, true],
  ]);
  const page = await open(t, site.browser, address, DESKTOP, listens);
  const frame = page.frameLocator("#held");
  const start = frame.getByRole("button", { name: "Start Kubernetes here and run this" });
  await start.waitFor();
  await page.evaluate(() => {
    const { contentWindow } = document.getElementById("held");
    const { port1, port2 } = new MessageChannel();
    const messages = [
      "start",
      { type: "tabernetes", state: "starting", run: "kubectl get secrets" },
      { type: "start" },
      { method: "kubectl", params: { args: ["get", "nodes"] } },
      [{ run: "x" }],
      null,
    ];
    for (const message of messages) contentWindow.postMessage(message, "*");
    contentWindow.postMessage(port2, "*", [port2]);
    port1.postMessage("start");
    document.getElementById("held").src = document
      .getElementById("held")
      .src.replace("get+nodes", "delete+ns+default");
  });
  // The other address is shown in the place of the first, and waits for the reader as that did.
  await frame.getByText("kubectl delete ns default", { exact: true }).waitFor();
  await start.waitFor();
  assert.equal(page.workers().length, 0, "nothing has started");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "BODY");

  // What the parent is told: the height that the content takes, of each frame.
  const inside = page.frames().filter((one) => one.url().includes("/embed/"));
  const heights = await Promise.all(
    inside.map((one) => one.evaluate(() => document.documentElement.scrollHeight)),
  );
  assert.ok(heights[1] > 1000, `${heights}`);
  const heard = await page.evaluate(() => globalThis.heard.map(({ data }) => data));
  assert.deepEqual([...new Set(heard.map(({ state }) => state))], ["waiting"]);
  for (const height of heights) {
    assert.ok(
      heard.some((data) => data.height === height),
      `${height} of ${JSON.stringify(heard)}`,
    );
  }
});

test("a lesson in the frame: what it runs unseen is there to be seen, from the host that is named", async (t) => {
  const lesson = `---
title: Somebody's
manifests: [made.yaml]
---
![A picture](picture.png)

\`\`\`shell prepare hidden
echo un\u202eseen
\`\`\`
## One
\`\`\`shell
kubectl get nodes
\`\`\`
`;
  const address = await theirs([
    ["boxed", "#lesson=https://lessons.example/first&nodes=1&theme=dark", true],
    ["ours", `#lesson=lessons/walk/&progress=${encodeURIComponent("<b>")}`, true],
    ["lost", "#lesson=https://10.0.0.1/", true],
  ]);
  const page = await open(t, site.browser, "about:blank", DESKTOP, listens);
  const asked = [];
  await page.route("https://*.example/**", (route) => {
    const { pathname } = new URL(route.request().url());
    asked.push(route.request().url());
    const body = { "/first/lesson.md": lesson, "/first/made.yaml": "kind: ConfigMap" }[pathname];
    return route.fulfill({
      status: body ? 200 : 404,
      headers: { "access-control-allow-origin": "*", "content-type": "text/plain" },
      body: body ?? "",
    });
  });
  await page.goto(address);
  const frame = page.frameLocator("#boxed");
  await frame.getByRole("heading", { name: "1. One" }).waitFor();
  await frame.getByText("What this lesson runs without showing it").click();
  await frame.getByText("echo un‹U+202E›seen").waitFor();
  await frame.getByText("kind: ConfigMap").waitFor();
  await frame.getByRole("button", { name: "Start Kubernetes here" }).waitFor();
  await screenshot(page, "frame-lesson");
  assert.deepEqual(await violations(page), []);
  // One of the site's own, with a link that says nothing.
  const ours = page.frameLocator("#ours");
  await ours.getByRole("heading", { name: /^1\. / }).waitFor();
  await ours.getByRole("alert").filter({ hasText: "it is damaged" }).waitFor();
  await page.frameLocator("#lost").getByText("its host is no name of the Internet").waitFor();
  // Its host alone may be asked.
  const [inside] = page.frames().filter((one) => one.url().includes("lessons.example"));
  assert.equal(
    await inside.evaluate(() => fetch("https://evil.example/").then(String, () => "refused")),
    "refused",
  );
  assert.deepEqual(
    asked.filter((url) => !url.startsWith("https://lessons.example/first/")),
    [],
  );
  assert.equal(page.workers().length, 0, "nothing starts by itself");
});

test("only this page may be framed", async () => {
  await site.begun;
  const policy = async (path) =>
    (await fetch(new URL(path, site.url))).headers.get("content-security-policy");
  assert.match(await policy("embed/"), /frame-ancestors \*/);
  for (const path of ["", "index.html", "sdk/elements.js", "embedded"]) {
    assert.match(await policy(path), /frame-ancestors 'none'/, path);
  }
});
