/*
 * Elements in somebody's page: terminals and views over one cluster, in boxes that the page gives them;
 * nothing before a click, and nothing left behind.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { violations } from "./axe.mjs";
import { DESKTOP, open, screenshot } from "./browser.mjs";
import { gone, until } from "./look.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");

const PAGE = (
  ours,
) => `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>Somebody's</title><link rel="stylesheet" href="style.css">
<script type="module" src="${ours}/sdk/elements.js"></script>
<main><h1>Elements</h1>
<tabernetes-cluster id="k" nodes="1"><script type="application/yaml">
{apiVersion: v1, kind: Namespace, metadata: {name: lesson}}
</script>
<tabernetes-terminal id="one"></tabernetes-terminal>
</tabernetes-cluster>
<p>And one beside it:</p>
<tabernetes-terminal id="two" for="k" font-size="16"></tabernetes-terminal>
<tabernetes-terminal id="lost" for="nobody"></tabernetes-terminal>
<tabernetes-map id="map" for="k"></tabernetes-map>
<div class="narrow"><tabernetes-map id="map-2" for="k" theme="dark" group-by="label:app"></tabernetes-map></div>
<tabernetes-guide id="guide" for="k"></tabernetes-guide>
<tabernetes-objects id="objects" for="k" kind="deploy" namespace="default"></tabernetes-objects>
<tabernetes-lesson id="lesson" for="k" src="lesson/"></tabernetes-lesson>
<pre><code class="language-shell">kubectl get ns lesson -o name; kubectl get nodes -o name</code></pre>
<input aria-label="Theirs" id="theirs" />
</main></html>`;
const LESSON = `---
title: Beside a terminal
---
\`\`\`shell prepare hidden
said=prepared
\`\`\`

## One

Read on in [the scheduler's chapter](guide:scheduler).

\`\`\`shell
echo "it is $said"; seen=here
\`\`\`

\`\`\`check title="There is a namespace"
kubectl get ns lesson
\`\`\`

## Two

\`\`\`shell
false
\`\`\`
`;
const STYLE =
  "html{background:canvas;color:canvastext;font:16px/1.5 system-ui}main{max-width:900px;margin:auto;padding:12px}tabernetes-terminal,.narrow{margin:8px 0}pre{white-space:pre-wrap}.narrow{width:320px;max-width:100%}.far{height:4000px}#map{--tabernetes-accent:rgb(160,0,120)}";

/** A page whose cluster starts once the reader is there, far below. */
const BELOW = (
  ours,
) => `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>Somebody's</title><link rel="stylesheet" href="style.css">
<script type="module" src="${ours}/sdk/elements.js"></script>
<main><h1>Far below</h1><div class="far"></div>
<tabernetes-cluster id="k" nodes="1" start="visible">
<script type="application/yaml">{apiVersion: v1, kind: Namespace, metadata: {name: lesson}}</script>
<tabernetes-terminal id="one"></tabernetes-terminal></tabernetes-cluster>
</main></html>`;

async function theirs(html = PAGE) {
  await site.begun;
  const ours = new URL(site.url).origin;
  const files = {
    "/": ["text/html", html(ours)],
    "/style.css": ["text/css", STYLE],
    "/lesson/lesson.md": ["text/markdown", LESSON],
  };
  const server = http.createServer(({ url }, response) => {
    const [type, text] = files[url] ?? ["text/plain", ""];
    response.writeHead(200, {
      "content-type": type,
      // xterm.js writes styles of its own.
      "content-security-policy": `default-src 'none'; style-src 'self' 'unsafe-inline'; script-src ${ours} 'wasm-unsafe-eval'; worker-src blob: ${ours}; connect-src 'self' ${ours}`,
    });
    response.end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}

test("terminals and views over one cluster, in a page of another origin", async (t) => {
  const page = await open(t, site.browser, await theirs(), DESKTOP, () => {
    globalThis.orders = [];
    const { prototype } = globalThis.Worker;
    const { postMessage } = prototype;
    prototype.postMessage = function (message, ...more) {
      if (typeof message === "string") globalThis.orders.push(message);
      return postMessage.call(this, message, ...more);
    };
  });
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
  const block = page.locator("tabernetes-run");
  await page.evaluate(async (sdk) => {
    const { runBlocks } = await import(sdk);
    globalThis.blocks = runBlocks({ cluster: "k" });
  }, new URL("sdk/blocks.js", site.url).href);
  await block.getByText("it is downloaded once").waitFor();
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

  // The guide opens where it comes into sight, beside a command that it does not follow.
  await page.locator("#guide").scrollIntoViewIfNeeded();
  await page.locator("#guide .legend").waitFor();
  await t.test("blocks, and elements that the page makes", async () => {
    await block.getByRole("button", { name: "Run" }).click();
    await block.getByText("✓ Done").waitFor();
    assert.equal(await block.locator("pre").innerText(), "namespace/lesson\nnode/node-1\n");
    await page.evaluate(async () => {
      const cluster = await document.querySelector("#k").start();
      const terminal = await cluster.terminal({ fontSize: 15, theme: "dark" });
      terminal.id = "made";
      const map = document.createElement("tabernetes-map");
      map.cluster = cluster;
      map.id = "made-map";
      document.querySelector("main").append(terminal, map);
    });
    const made = page.locator("#made");
    await made.locator(".xterm").waitFor();
    await type(made, 'x=theirs; echo "it was [$x]"');
    await shows(made, /it was \[theirs\]/);
    await page.locator("#made-map").scrollIntoViewIfNeeded();
    await page
      .locator("#made-map")
      .getByRole("button", { name: /^node-1 / })
      .waitFor();
    assert.deepEqual(await violations(page), []);
    // Its blocks are gone; what it shares goes on.
    await page.evaluate(() => {
      globalThis.blocks.dispose();
      for (const id of ["made", "made-map"]) document.getElementById(id).remove();
    });
    assert.equal(await block.count(), 0);
    assert.equal(page.workers().length, 1, "all of them are over one cluster");
  });

  await t.test("maps", async () => {
    // They open with the cluster, by themselves and without the focus.
    const [map, other] = [page.locator("#map"), page.locator("#map-2")];
    const told = [];
    await page.exposeFunction("told", (detail) => told.push(detail));
    await page.evaluate(() =>
      document.querySelector("#map").addEventListener("tabernetes-select", ({ detail }) => {
        globalThis.told(detail);
      }),
    );
    await map.scrollIntoViewIfNeeded();
    await map.getByRole("button", { name: /^node-1 / }).waitFor();
    // One line for the terminal that was opened last, if the reader wants it.
    await map.getByRole("button", { name: "kubectl create deployment nginx" }).click();
    await page.keyboard.press("Enter");
    const pods = map.getByRole("button", { name: /^pod\/nginx-.*: Running, 1\/1 ready/ });
    await pods.nth(2).waitFor();
    await other.scrollIntoViewIfNeeded();
    await other
      .getByRole("button", { name: /^pod\/nginx-/ })
      .nth(2)
      .waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "two");
    await pods.first().click();
    await map.locator('.pod[aria-pressed="true"]').waitFor();
    assert.equal(await pods.first().getAttribute("aria-pressed"), "true");
    assert.equal(await other.locator('[aria-pressed="true"]').count(), 0, "each has its own");
    await page.keyboard.press("ArrowDown");
    assert.equal(await pods.nth(1).evaluate((pod) => pod.matches(":focus")), true);
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement.id), "map");
    assert.deepEqual(
      told.map((one) => one?.name.replace(/-.*/, "")),
      ["nginx", undefined],
    );
    await map.getByLabel("Group by").selectOption("namespace");
    await map.getByRole("group", { name: "default", exact: true }).waitFor();
    await other.getByRole("group", { name: "nginx", exact: true }).waitFor();
    assert.equal(new URL(page.url()).hash, "", "the address is theirs");
    assert.deepEqual(await violations(page), []);
    await screenshot(page, "elements-map");
  });

  await t.test("objects", async () => {
    const objects = page.locator("#objects");
    await objects.scrollIntoViewIfNeeded();
    await objects.getByRole("row", { name: /nginx 3\/3/ }).waitFor();
    await objects.getByRole("button", { name: "deployments.apps" }).click();
    await objects.getByLabel("Filter").fill("configmaps");
    await objects.getByRole("row", { name: /^configmaps/ }).click();
    await objects
      .getByRole("row", { name: /kube-root-ca.crt/ })
      .first()
      .click();
    const opened = objects.getByRole("region", { name: "configmap/kube-root-ca.crt" });
    await opened.getByText("BEGIN CERTIFICATE").waitFor();
    assert.deepEqual(await violations(page), []);
    await screenshot(page, "elements-objects");
    await objects.getByRole("grid").press("y");
    await opened.getByText("kind: ConfigMap").waitFor();
    await opened.getByRole("button", { name: "Close" }).click();
    await opened.waitFor({ state: "detached" });
    // It only looks: nothing is deleted, and no dialog is put into their page.
    await objects.getByRole("grid").press("Control+d");
    assert.equal(await page.locator("tn-ask").count(), 0);
    await objects.getByRole("grid").press("Enter");
    await opened.getByText("BEGIN CERTIFICATE").waitFor();
    assert.equal(new URL(page.url()).hash, "", "the address is theirs");
  });

  await t.test("a lesson", async () => {
    const lesson = page.locator("#lesson");
    const run = lesson.getByRole("button", { name: /^Run/ });
    await run.click();
    // It is typed into the terminal that was opened last, in whose shell the step was prepared.
    await lesson.getByText("✓ Done, in the terminal").waitFor();
    await shows(two, /echo "it is \$said"; seen=here\s+it is prepared/);
    assert.equal(await page.evaluate(() => document.activeElement.id), "lesson");
    await type(two, 'echo "and I am $seen"; sleep 600');
    await shows(two, /and I am here/);
    await run.click();
    await lesson.getByText("✗ Something runs in the terminal").waitFor();
    await two.locator("textarea.xterm-helper-textarea").focus();
    await page.keyboard.press("Control+c");
    await lesson.getByRole("button", { name: "Check" }).click();
    await lesson.getByRole("button", { name: "1. One, done" }).waitFor();
    await lesson.getByRole("button", { name: "Next: Two" }).click();
    await run.click();
    await lesson.getByText("✗ It ended with exit code 1.").waitFor();
    assert.deepEqual(await violations(page), []);
    await screenshot(page, "elements-lesson");

    // How far somebody is goes into a link; whoever opens it is asked.
    await lesson.evaluate((element) => {
      element.linkTo = (from) => `https://theirs.example/#${from}`;
    });
    await lesson.getByRole("button", { name: "Link to here" }).click();
    const link = await lesson.getByLabel("Link to this lesson").inputValue();
    await page.evaluate((from) => {
      const other = document.createElement("tabernetes-lesson");
      for (const [name, value] of Object.entries({ id: "other", src: "lesson", forget: "", from }))
        other.setAttribute(name, value);
      document.querySelector("main").append(other);
    }, new URL(link).hash.slice(1));
    const other = page.locator("#other");
    await other.getByText("is at step 2, Two, with 1 of 2 steps done").waitFor();
    await other.getByRole("heading", { name: "1. One" }).waitFor();
    await other.getByRole("button", { name: "Go on from there" }).click();
    await other.getByRole("heading", { name: "2. Two" }).waitFor();
    await other.getByRole("button", { name: "1. One, done" }).click();
    await other.getByText("✓ Passed before").waitFor();
    await other.evaluate((element) => element.setAttribute("from", "<script>"));
    await other.getByRole("alert").filter({ hasText: "it is damaged" }).waitFor();
    await other.evaluate((element) => element.remove());
    assert.equal(new URL(page.url()).hash, "", "the address is theirs");
  });

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

  // What nobody sees sleeps, and is awake when somebody asks.
  await t.test("out of sight", async () => {
    await page.evaluate(async () => {
      const cluster = await document.querySelector("#k").start();
      globalThis.slept = new Promise((resolve) => cluster.on("slept", resolve));
      document.querySelector("main").style.display = "none";
    });
    await until(
      page,
      (orders) => orders.at(-1) === "sleep",
      () => page.evaluate(() => globalThis.orders),
    );
    await pause(11_000); // time that has to pass: it tells of a sleep of ten seconds and more
    const { reasons, slept } = await page.evaluate(async () => {
      const cluster = await document.querySelector("#k").start();
      const { stdout } = await cluster.kubectl("get events -A -o jsonpath={.items[*].reason}");
      return { reasons: stdout, slept: await globalThis.slept };
    });
    assert.match(reasons, /Started/);
    assert.doesNotMatch(reasons, /NodeNotReady/);
    assert.ok(slept.milliseconds > 10_000);
    await page.evaluate(() => (document.querySelector("main").style.display = ""));
    await type(two, 'echo awa""ke');
    await shows(two, /\nawake/);
  });

  // One that names a cluster which is not there says so; the others go on.
  await page.locator("#lost").getByRole("button").click();
  await page.locator("#lost").getByText('for="nobody" names no <tabernetes-cluster>').waitFor();

  await screenshot(page, "elements-desktop");
  await page.setViewportSize({ width: 320, height: 640 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await screenshot(page, "elements-320");
  await page.locator("#objects").scrollIntoViewIfNeeded();
  await page.locator("#objects").getByRole("grid").waitFor({ state: "hidden" });
  await screenshot(page, "elements-objects-320");
  assert.equal(await page.evaluate(() => document.head.innerHTML), before, "the head is theirs");

  await page.setViewportSize(DESKTOP.viewport);
  await t.test("a guide", async () => {
    const guide = page.locator("#guide");
    const run = guide.getByRole("button", {
      name: "Run: kubectl create deployment nginx --image=nginx --replicas=3",
      exact: true,
    });
    await guide.scrollIntoViewIfNeeded();
    // What the terminal has run lights it up.
    await guide.locator("h3 .dot[data-reached]").nth(5).waitFor();
    await run.waitFor();
    await guide.locator("article .claim[data-seen]").first().waitFor();
    assert.deepEqual(await violations(page), []);
    await screenshot(page, "elements-guide");
    await run.click();
    await shows(two, /"nginx" already exists/);
    // It ran beside what the terminal's reader has typed, and is not told in its place.
    await guide.locator(".others").getByText("It ran since then.").waitFor();
    // Nothing in it leads into the page around it.
    assert.equal(await guide.locator('a[href^="#"]').count(), 0);
    // Without a terminal it runs in the guide.
    for (const terminal of [two, one]) {
      await type(terminal, "exit");
      await terminal.getByRole("button", { name: "Start Kubernetes here" }).waitFor();
    }
    await run.click();
    await guide
      .getByRole("region", { name: "What it printed" })
      .getByText("already exists")
      .waitFor();
    await guide.getByText("✗ Exit code 1").waitFor();
    // A lesson leads into it.
    const lesson = page.locator("#lesson");
    await lesson.getByRole("button", { name: "1. One, done" }).click();
    await lesson.getByRole("button", { name: "the scheduler's chapter" }).click();
    await guide.locator("#chapter-scheduler").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "guide");
  });

  await two.getByRole("button").click();
  await two.locator(".xterm").waitFor();
  await page.evaluate(() => document.querySelector("#k").remove());
  await two.getByText("The page has ended this cluster.").waitFor();
  for (const id of ["map", "objects", "guide"]) {
    await page.locator(`#${id}`).getByText("The page has ended this cluster.").waitFor();
  }
  await gone(page);
  assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
});

/** Opens the page whose cluster is far below, on a device that says so of itself. */
async function below(t, device) {
  const page = await open(t, site.browser, await theirs(BELOW), DESKTOP, device);
  const one = page.locator("#one");
  await one.getByRole("button").waitFor();
  return { page, one };
}
/** Until what an element does by itself when it comes into sight is done. */
const seen = async (page, one) => {
  await one.scrollIntoViewIfNeeded();
  await one.getByText(/\d+ MB are downloaded, once\./).waitFor();
  // The page has been idle meanwhile.
  await page.evaluate(
    () => new Promise((resolve) => globalThis.requestIdleCallback(() => resolve())),
  );
};

test("start=visible starts when it is near, and not before", async (t) => {
  const { page, one } = await below(t);
  await page.waitForLoadState("networkidle");
  assert.equal(page.workers().length, 0, "nobody is there yet");
  const started = page.waitForEvent("worker");
  await one.scrollIntoViewIfNeeded();
  await started;
  await page.evaluate(() => document.querySelector("#k").remove());
  await gone(page);
});

test("start=visible does not start for who saves data", async (t) => {
  const { page, one } = await below(t, () =>
    Object.defineProperty(Navigator.prototype, "connection", { value: { saveData: true } }),
  );
  await seen(page, one);
  assert.equal(page.workers().length, 0);
  await one.getByRole("button", { name: "Start Kubernetes here", exact: true }).waitFor();
});

test("a device with too little memory gets a picture and a sentence, and may", async (t) => {
  const { page, one } = await below(t, () =>
    Object.defineProperty(Navigator.prototype, "deviceMemory", { value: 1 }),
  );
  await seen(page, one);
  assert.equal(page.workers().length, 0, "nothing starts by itself");
  await one.getByRole("img", { name: /^A picture of what would run here/ }).waitFor();
  await one.getByText("This device has 1 GB of memory").waitFor();
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "elements-little-memory");
  await page.setViewportSize({ width: 320, height: 640 });
  await one.scrollIntoViewIfNeeded();
  await screenshot(page, "elements-little-memory-320");
  const started = page.waitForEvent("worker");
  await one.getByRole("button", { name: "Start Kubernetes here anyway" }).click();
  await started;
});
