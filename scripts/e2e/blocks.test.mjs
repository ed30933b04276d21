/*
 * Code blocks of somebody's tutorial that run: three lines of script in a page of another origin, with a
 * policy of its own.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { after, test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, open, PHONE, screenshot } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");

const TUTORIAL = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>A tutorial</title><link rel="stylesheet" href="style.css">
<main><h1>Deployments</h1>
<p>Make one:</p>
<pre until="deploy/web Available"><code class="language-shell">name=web
kubectl create deployment $name --image=nginx --replicas=2</code></pre>
<p>Look at it:</p>
<pre><code class="language-console">$ kubectl get deployment $name \\
&gt;   -o name
deployment.apps/somethingelse
$ echo '&lt;b id="x"&gt;bold&lt;/b&gt;'
</code></pre>
<p>What fails:</p>
<pre><code class="language-sh">kubectl get pod nosuch; echo still; exit 3</code></pre>
<p>What does not end:</p>
<pre><code class="language-bash">kubectl get pods -w</code></pre>
<p>Not a command:</p>
<pre><code class="language-yaml">kind: Pod</code></pre>
<pre until="what is this"><code class="language-sh">true</code></pre>
</main><script type="module" src="page.js"></script></html>`;
const STYLE =
  "html{color-scheme:light dark;background:canvas;color:canvastext;font:16px/1.5 system-ui}main{max-width:60ch;margin:auto;padding:16px}pre:has(code){padding:12px;white-space:pre-wrap;background:rgb(128 128 128/15%)}";

/** The tutorial, on a server of its author's. */
async function tutorial() {
  await site.begun;
  const ours = new URL(site.url).origin;
  const files = {
    "/": ["text/html", TUTORIAL],
    "/style.css": ["text/css", STYLE],
    "/page.js": [
      "text/javascript",
      `import { runBlocks } from "${ours}/sdk/blocks.js";\nglobalThis.blocks = runBlocks({ cluster: { nodes: 1 } });\n`,
    ],
  };
  const server = http.createServer(({ url }, response) => {
    const [type, text] = files[url] ?? ["text/plain", ""];
    response.writeHead(200, {
      "content-type": type,
      "content-security-policy": `default-src 'none'; style-src 'self'; script-src 'self' ${ours} 'wasm-unsafe-eval'; worker-src blob: ${ours}; connect-src ${ours}`,
    });
    response.end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}

test("a tutorial's blocks run in one cluster, which starts with the first", async (t) => {
  const page = await open(t, site.browser, await tutorial(), DESKTOP);
  const blocks = page.locator("tabernetes-run");
  await blocks.nth(3).waitFor();
  assert.equal(await blocks.count(), 4); // neither YAML, nor the one whose until nobody understands
  await blocks.first().getByText("it is downloaded once").waitFor();
  assert.equal(page.workers().length, 0, "nothing starts by itself");

  const [made, seen, fails, endless] = [0, 1, 2, 3].map((n) => blocks.nth(n));
  await made.getByRole("button", { name: "Run" }).click();
  await made.getByText("✓ Done").waitFor({ timeout: 300_000 });
  assert.match(await made.locator("pre").innerText(), /deployment.apps\/web created/);

  await seen.getByRole("button", { name: "Run" }).focus();
  await page.keyboard.press("Enter");
  await seen.getByText("✓ Done").waitFor();
  // What it is about, of the variable that the block before has set; the markup is text.
  assert.equal(await seen.locator("pre").innerText(), 'deployment.apps/web\n<b id="x">bold</b>\n');
  assert.equal(await seen.locator("#x").count(), 0);
  assert.equal(await made.locator("details").getAttribute("open"), null, "the one before folds");

  await fails.getByRole("button", { name: "Run" }).click();
  await fails.getByText("✗ It ended with exit code 3.").waitFor();
  assert.match(await fails.locator("pre").innerText(), /pods "nosuch" not found/);

  await endless.getByRole("button", { name: "Run" }).click();
  await endless.locator("pre", { hasText: "Running" }).waitFor();
  await screenshot(page, "blocks-desktop");
  assert.deepEqual(await violations(page), []);
  await endless.getByRole("button", { name: "Stop" }).click();
  await endless.getByText("✗ Stopped.").waitFor();
  await seen.getByRole("button", { name: "Run again" }).click();
  await seen.getByText("✓ Done").waitFor();

  await page.setViewportSize({ width: 320, height: 640 });
  await screenshot(page, "blocks-320");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.evaluate(() => globalThis.blocks.dispose());
  assert.equal(await blocks.count(), 0);
  assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
});

test("on a phone, in the dark, before anything runs", async (t) => {
  const page = await open(t, site.browser, await tutorial(), { ...PHONE, colorScheme: "dark" });
  await page.locator("tabernetes-run").nth(3).waitFor();
  await screenshot(page, "blocks-phone-dark");
  assert.deepEqual(await violations(page), []);
});
