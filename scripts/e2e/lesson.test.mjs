/*
 * A lesson as an element, in somebody's page of another origin: its Markdown comes from their host as it is.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { after, test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, open, screenshot, terminalText } from "./browser.mjs";
import { gone } from "./look.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");

const LESSON = `---
title: Two steps
description: What a lesson can do.
minutes: 3
nodes: 1
manifests: [made.yaml]
---
What comes before, with a <b onclick="globalThis.bad = 1">tag</b> that is no tag.

\`\`\`shell prepare hidden
x=prepared
\`\`\`

## Make a thing

Read [their pages](https://kubernetes.io/docs/) and [not this](javascript:globalThis.bad=1).

\`\`\`shell until="cm/made create"
echo "it is $x"; kubectl create configmap mine --from-literal=a=1
\`\`\`

\`\`\`output
it is …
configmap/mine created
\`\`\`

> [!TIP]
> A first hint, with \`code\`.

> [!TIP]
> A second one.

\`\`\`solution
kubectl label configmap mine done=yes
\`\`\`

\`\`\`cel object="cm/mine" title="It is labelled" timeout=1
object.metadata.labels.done == "yes"
\`\`\`

\`\`\`trace
\`\`\`

\`\`\`trace title="It was written"
etcd.put configmaps
\`\`\`

\`\`\`question
Is it \`so\`?
- [ ] no
- [x] yes

Because of that.
\`\`\`

\`\`\`shell reset hidden
kubectl delete configmap mine --ignore-not-found
\`\`\`

## Look at it

\`\`\`shell
kubectl get configmap mine -o jsonpath={.metadata.labels.done}
\`\`\`
`;

const PAGE = (
  ours,
) => `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>Somebody's</title><link rel="stylesheet" href="style.css">
<script type="module" src="${ours}/sdk/elements.js"></script>
<main><h1>Learn</h1>
<tabernetes-lesson id="one" src="lesson/"></tabernetes-lesson>
<tabernetes-lesson id="missing" src="nothing"></tabernetes-lesson>
<tabernetes-lesson id="page" src="a-page/"></tabernetes-lesson>
<tabernetes-lesson id="evil" src="data:text/markdown,a"></tabernetes-lesson>
</main></html>`;

async function theirs() {
  await site.begun;
  const ours = new URL(site.url).origin;
  const files = {
    "/": ["text/html", PAGE(ours)],
    "/style.css": [
      "text/css",
      "html{color-scheme:light dark;background:canvas;color:canvastext;font:16px/1.5 system-ui}main{max-width:720px;margin:auto;padding:12px}",
    ],
    "/lesson/lesson.md": ["text/markdown", LESSON],
    "/lesson/made.yaml": [
      "text/yaml",
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: made, namespace: default}}",
    ],
    "/a-page/lesson.md": ["text/html", "<h1>Not found</h1>"],
  };
  const server = http.createServer(({ url }, response) => {
    const [type, text] = files[url] ?? ["text/plain", undefined];
    response.writeHead(text === undefined ? 404 : 200, {
      "content-type": type,
      "content-security-policy": `default-src 'none'; style-src 'self'; img-src 'self'; script-src ${ours} 'wasm-unsafe-eval'; worker-src blob: ${ours}; connect-src 'self' ${ours}`,
    });
    response.end(text ?? "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}

test("a lesson in a page of another origin: runs, checks, asks, keeps how far one is", async (t) => {
  const page = await open(t, site.browser, await theirs(), DESKTOP);
  const one = page.locator("#one");
  await one.getByRole("heading", { name: "1. Make a thing" }).waitFor();
  await page.locator("#missing").getByText("its host says 404").waitFor();
  await page.locator("#page").getByText("its host answered with a page").waitFor();
  await page.locator("#evil").getByText("is no address of http or https").waitFor();
  // The tag and the link are text; that the lesson has mistakes is said.
  await one.getByText('HTML is not shown: "<b onclick').waitFor();
  assert.equal(await one.locator("b").count(), 0);
  assert.deepEqual(await one.locator("a").evaluateAll((all) => all.map((a) => [a.href, a.rel])), [
    ["https://kubernetes.io/docs/", "noopener noreferrer"],
  ]);
  assert.equal(page.workers().length, 0, "nothing starts by itself");
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "lesson-waiting");

  // A block runs, with the state that was prepared, and waits for what has to come.
  await one.getByRole("button", { name: "Run", exact: true }).first().click();
  await one.getByText("✓ Done").waitFor({ timeout: 300_000 });
  await one.getByText("it is prepared").waitFor();

  // Blocks of the page around it, which name no cluster either, run in the same one.
  await page.evaluate(async (sdk) => {
    const { runBlocks } = await import(sdk);
    const pre = document.createElement("pre");
    pre.innerHTML = '<code class="language-sh">kubectl get configmap made -o name</code>';
    document.querySelector("main").append(pre);
    globalThis.blocks = runBlocks();
  }, new URL("sdk/blocks.js", site.url).href);
  const block = page.locator("tabernetes-run");
  await block.getByRole("button", { name: "Run" }).click();
  await block.getByText("✓ Done").waitFor();
  assert.equal(await block.locator("pre").innerText(), "configmap/made\n");
  assert.equal(page.workers().length, 1, "the lesson and the block are over one cluster");
  await page.evaluate(() => {
    globalThis.blocks.dispose();
    document.querySelector("main > pre").remove();
  });

  // A check fails, hints come one by one, the solution helps.
  await one.getByRole("button", { name: "Check" }).first().click();
  await one.getByText("✗").waitFor();
  await one.getByRole("button", { name: "Hint 1 of 2" }).click();
  await one.getByText("A first hint, with").waitFor();
  assert.equal(await one.getByText("A second one.").count(), 0);
  await one.getByText("Solution", { exact: true }).click();
  await one.locator("details[open] button").click();
  await one.getByText("configmap/mine labeled").waitFor();
  await one.getByRole("button", { name: "Check again" }).click();
  await one.locator(".task.done").waitFor();

  // What the last command set off, to be seen, and as a check.
  await one.getByRole("button", { name: "Show" }).click();
  await one.getByText(/kubectl: .*\n +.*configmaps/).waitFor();
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "lesson-trace");
  await one.getByRole("button", { name: "Check", exact: true }).click();
  await one.locator(".task.done").nth(2).waitFor();

  // A question.
  await one.getByLabel("no").check();
  await one.getByRole("button", { name: "Answer" }).click();
  await one.getByText("✗ Not so. Try again.").waitFor();
  await one.getByLabel("yes").check();
  await one.getByRole("button", { name: "Answer" }).click();
  await one.getByText("Because of that.").waitFor();
  await one.getByRole("button", { name: "1. Make a thing, done" }).waitFor();
  await screenshot(page, "lesson-done");
  assert.deepEqual(await violations(page), []);

  // The step is started again once the reader has seen what that changes, and what the lesson runs for it.
  const again = one.getByRole("button", { name: "Start this step again" });
  await again.click();
  await one.getByText("Started again: 1 object goes.").waitFor();
  await one.getByText("goes       ConfigMap default/mine").waitFor();
  await one.getByText("kubectl delete configmap mine --ignore-not-found").waitFor();
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "lesson-again");
  await one.getByRole("button", { name: "Leave it as it is" }).click();
  assert.equal(await one.getByText("1 object goes.").count(), 0);
  await again.click();
  await one.getByRole("button", { name: "Start again" }).click();
  await one.getByText("The step begins again.").waitFor();
  assert.equal(await one.getByText("✓ Done").count(), 0);
  await one.getByRole("button", { name: "Run", exact: true }).first().click();
  await one.getByText("configmap/mine created").first().waitFor();
  await one.getByText("✓ Done").waitFor();

  // By keyboard to the next step; the focus follows.
  await one.getByRole("button", { name: "Next: Look at it" }).focus();
  await page.keyboard.press("Enter");
  await one.getByRole("heading", { name: "2. Look at it" }).waitFor();
  assert.equal(
    await one.evaluate((element) => element.shadowRoot.activeElement.textContent.trim()),
    "2. Look at it",
  );

  // A page that is opened again goes on here, and does for the reader what a new cluster lacks.
  await page.reload();
  await one.getByRole("heading", { name: "2. Look at it" }).waitFor();
  await one.getByRole("button", { name: "Do it for me" }).click();
  await one.getByText("The cluster is as this step expects it.").waitFor({ timeout: 300_000 });
  await one.getByRole("button", { name: "Run", exact: true }).click();
  await one.getByText("yes").waitFor();
  await page.setViewportSize({ width: 320, height: 640 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "lesson-320-dark");
  assert.equal(await page.evaluate(() => globalThis.bad), undefined);
  assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
});

test("our lessons: a list, and one beside a terminal of its cluster", async (t) => {
  const page = await site.open(t, `${site.url}lessons/`, DESKTOP);
  await page.getByRole("link", { name: "Deployments and rolling back" }).waitFor();
  assert.ok((await page.locator("#list li").count()) >= 9);
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "lessons-list");
  await page.getByRole("link", { name: "Deployments and rolling back" }).click();
  const lesson = page.locator("tabernetes-lesson");
  await lesson.getByRole("button", { name: "Run", exact: true }).first().click();
  await lesson.getByText("✓ Done").waitFor({ timeout: 300_000 });
  // The terminal is over the same cluster, opens along with it, and shows what was run.
  const terminal = page.locator("tabernetes-terminal");
  await terminal.locator(".xterm").waitFor();
  await lesson.getByText("✓ Done, in the terminal").waitFor();
  assert.equal(page.workers().length, 1);
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "lessons-open");
  // Back to the list its cluster ends.
  await page.getByRole("link", { name: "All lessons" }).click();
  await page.getByRole("link", { name: "Services and names" }).waitFor();
  await gone(page);
});

test("a lesson in the workbench: over the page's own cluster, terminal and guide", async (t) => {
  const page = await site.visit(t, "lessons");
  const view = page.locator("tn-lessons");
  await view.getByRole("link", { name: "Deployments and rolling back" }).waitFor();
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "lessons-view");
  await view.getByRole("link", { name: "Deployments and rolling back" }).click();
  await view.getByRole("button", { name: "Run", exact: true }).first().click();
  await view.getByText("✓ Done, in the terminal").waitFor({ timeout: 120_000 });
  assert.match(await terminalText(page), /\$ kubectl create deployment web [^$]*created/);
  // Its cluster is the page's: what was made stands on the map, and in the terminal.
  assert.equal(page.workers().length, 1);
  // A link leads into the guide beside it.
  await view.getByRole("button", { name: "the controllers" }).click();
  await page.locator(".pane.guide").getByRole("heading", { name: "controllers" }).waitFor();
  await screenshot(page, "lessons-view-open");
  assert.deepEqual(await violations(page), []);
  // It goes on where the reader left it, and where the address says.
  await page.getByRole("link", { name: "Map", exact: true }).click();
  await page
    .getByRole("button", { name: /^pod\/web-.*: Running, 1\/1 ready/ })
    .nth(2)
    .waitFor();
  await page.goBack();
  await view.getByText("✓ Done, in the terminal").first().waitFor();
  await page.evaluate(() => (location.hash = "#/lessons/../x"));
  await view.getByText("There is no lesson “..” here.").waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.evaluate(() => (location.hash = "#/lessons/deployments"));
  await view.getByRole("heading", { name: /^1\. A Deployment makes/ }).waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await screenshot(page, "lessons-view-phone");
  // What was done in the step goes, as if it had just begun; the moment has its name in "Go back".
  await view.getByRole("button", { name: "Start this step again" }).click();
  await view.getByText(/goes +Deployment default\/web/).waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "lessons-again-phone");
  await view.getByRole("button", { name: "Start again" }).click();
  await view.getByText("The step begins again.").waitFor();
  const left = await page.evaluate(() => globalThis.tabernetes.kubectl("get deploy,rs -o name"));
  assert.equal(left.stdout, "");
  await page.evaluate(() => (location.hash = "#/checkpoints"));
  await page
    .locator("tn-checkpoints .why span", { hasText: /^step 1 of “Deployments and rolling back”: / })
    .waitFor();
  // 40 moments of the reader's own are all there beside it; the steps of another lesson take its place.
  const moments = await page.evaluate(async () => {
    for (let n = 0; n < 40; n++) await globalThis.tabernetes.checkpoint(`later ${n}`);
    const all = (await globalThis.tabernetes.checkpoints()).map(({ of = "", why }) => of + why);
    for (let n = 0; n < 50; n++) await globalThis.tabernetes.checkpoint(`step ${n}`, "another");
    return all;
  });
  assert.equal(moments.filter((why) => why.startsWith("later ")).length, 40, moments.join("\n"));
  assert.equal(moments.filter((why) => why.startsWith("Deployments and ")).length, 1);
  await page.evaluate(() => (location.hash = "#/lessons/deployments"));
  await view.getByRole("button", { name: "Start this step again" }).click();
  await view.getByText("How this step began is not remembered any more").waitFor();
});
