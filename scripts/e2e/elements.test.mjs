/*
 * Elements in somebody's page: terminals over one cluster, each with a shell of its own, in boxes that
 * the page gives them; nothing before a click, and nothing left behind.
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

const PAGE = (
  ours,
) => `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>Somebody's</title><link rel="stylesheet" href="style.css">
<script type="module" src="${ours}/sdk/elements.js"></script>
<main><h1>Two terminals</h1>
<tabernetes-cluster id="k" nodes="1"><script type="application/yaml">
{apiVersion: v1, kind: Namespace, metadata: {name: lesson}}
</script>
<tabernetes-terminal id="one"></tabernetes-terminal>
</tabernetes-cluster>
<p>And one beside it:</p>
<tabernetes-terminal id="two" for="k" font-size="16"></tabernetes-terminal>
<tabernetes-terminal id="lost" for="nobody"></tabernetes-terminal>
<input aria-label="Theirs" id="theirs" />
</main></html>`;
const STYLE =
  "html{background:canvas;color:canvastext;font:16px/1.5 system-ui}main{max-width:900px;margin:auto;padding:12px}tabernetes-terminal{margin:8px 0}";

async function theirs() {
  await site.begun;
  const ours = new URL(site.url).origin;
  const files = { "/": ["text/html", PAGE(ours)], "/style.css": ["text/css", STYLE] };
  const server = http.createServer(({ url }, response) => {
    const [type, text] = files[url] ?? ["text/plain", ""];
    response.writeHead(200, {
      "content-type": type,
      // xterm.js writes styles of its own.
      "content-security-policy": `default-src 'none'; style-src 'self' 'unsafe-inline'; script-src ${ours} 'wasm-unsafe-eval'; worker-src blob: ${ours}; connect-src ${ours}`,
    });
    response.end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}

test("two terminals over one cluster, in a page of another origin", async (t) => {
  const page = await open(t, site.browser, await theirs(), DESKTOP);
  const [one, two] = [page.locator("#one"), page.locator("#two")];
  const text = (which) => which.evaluate((element) => element.text());
  const shows = (which, words) =>
    until(
      page,
      (shown) => words.test(shown),
      () => text(which),
      60_000,
    );
  const type = async (which, line) => {
    await which.locator("textarea.xterm-helper-textarea").focus();
    await page.keyboard.type(`${line}\n`);
  };
  await one.getByRole("button", { name: "Start Kubernetes here" }).waitFor();
  await page.locator("#theirs").focus();
  await screenshot(page, "elements-waiting");
  assert.deepEqual(await violations(page), []);
  assert.equal(page.workers().length, 0, "nothing starts by itself");
  const before = await page.evaluate(() => document.head.innerHTML);

  await one.getByRole("button").click();
  await one.locator(".xterm").waitFor({ timeout: 300_000 });
  await type(one, "x=mine; kubectl get ns lesson -o name; kubectl get nodes -o name");
  await shows(one, /namespace\/lesson\s+node\/node-1\s/);
  await two.getByRole("button").click();
  await two.locator(".xterm").waitFor();
  await type(two, 'echo "it is [$x]"; kubectl get ns lesson -o name');
  await shows(two, /it is \[\]\s+namespace\/lesson/);
  assert.equal(page.workers().length, 1);

  // A file is edited in the page, and the shell gets it.
  await type(two, "vi note");
  await two.locator("dialog textarea").fill("a line <b>of</b> mine");
  await two.getByRole("button", { name: "Save" }).click();
  await type(two, "cat note");
  await shows(two, /\$ cat note\s+a line <b>of<\/b> mine/);

  // F6 leaves: Tab is the shell's.
  await two.locator("textarea.xterm-helper-textarea").focus();
  await page.keyboard.press("F6");
  await two.getByRole("button", { name: "After the terminal" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "two");
  await page.keyboard.press("Tab");
  assert.notEqual(await page.evaluate(() => document.activeElement.id), "two");

  // One that names a cluster which is not there says so; the others go on.
  await page.locator("#lost").getByRole("button").click();
  await page.locator("#lost").getByText('for="nobody" names no <tabernetes-cluster>').waitFor();

  await screenshot(page, "elements-desktop");
  await page.setViewportSize({ width: 320, height: 640 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await screenshot(page, "elements-320");
  assert.equal(await page.evaluate(() => document.head.innerHTML), before, "the head is theirs");

  await page.evaluate(() => document.querySelector("#k").remove());
  await two.getByText("The page has ended this cluster.").waitFor();
  assert.equal(page.workers().length, 0);
  assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
});
