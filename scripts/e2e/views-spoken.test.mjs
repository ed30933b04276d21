/*
 * What a screen reader has of the guide, the journey, the trace and of what just happened: roles, names
 * and live regions, in the order in which they are read, as Chromium gives them to it. Over the fake worker.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { terminalText } from "./browser.mjs";
import { until } from "./look.mjs";
import { spoken, unsaid } from "./spoken.mjs";
import { over } from "./visits.mjs";

const CREATE = "kubectl create deployment nginx --image=nginx --replicas=3";

const site = over("out/site-fake");

/** A page on a view, after the guide's command has come to its end. */
const visit = async (t, view) => {
  const page = await site.visit(t, view);
  await page.evaluate(
    (line) => globalThis.tabernetes.kubectl(line),
    CREATE.replace("kubectl ", ""),
  );
  await page.locator("tn-happened button", { hasText: "3 started" }).waitFor();
  return page;
};

const says = (lines, ...wanted) => assert.deepEqual(unsaid(lines, wanted), [], lines.join("\n"));

/** What can be used has a name, wherever it stands. */
const named = (lines) =>
  assert.deepEqual(
    lines.filter((line) =>
      /^\s*(button|link|checkbox|combobox|searchbox|textbox|tab|treeitem|slider|spinbutton) ""/.test(
        line,
      ),
    ),
    [],
  );

test("the guide: who is followed, the chapters with their times, claims with what proves them", async (t) => {
  const page = await visit(t, "journey");
  // It is said once nothing more comes.
  await page.locator("tn-guide p[role=status]", { hasText: "3 containers run" }).waitFor();
  const lines = await spoken(page, { role: "complementary", name: "Guide" });
  named(lines);
  says(
    lines,
    /^heading "What happens when" level=2$/,
    /^button "Follow steps" pressed=true$/,
    /^status "" live=polite: kubectl create deployment nginx --image=nginx --replicas=3 · 3 containers run after \d+ ms$/,
    /^heading "kubectl 1 of 14" level=3$/,
    /^button "kubectl 1 of 14" expanded=true$/,
    /^heading "Authentication \+[\d.]+(?: ms)?(?: to \+[\d.]+ ms)?" level=3$/,
    /^heading "Admission \+[\d.]+(?: ms)?(?: to \+[\d.]+ ms)?" level=3$/,
    /^heading "etcd \+[\d.]+(?: ms)?(?: to \+[\d.]+ ms)?" level=3$/,
    /^button "Initializers off" expanded=false$/,
    /^button "Networking between hosts aside" expanded=false$/,
    /^heading "Container startup \+\d+ to \+\d+ ms" level=3$/,
  );
  const heading = page.locator("tn-guide h3[data-name='kubectl']");
  if ((await heading.getAttribute("data-open")) === null) await heading.getByRole("button").click();
  await page.locator("tn-guide h3[data-open][data-name='kubectl']").waitFor();
  const chapter = await spoken(page, { role: "article", name: "kubectl" });
  named(chapter);
  says(
    chapter,
    /^button "Run in the terminal: kubectl create deployment nginx --image=nginx --replicas=3"$/,
    /^heading "Where to, and as whom" level=4$/,
    // The claim's words, and as an aside the figure of the step that proves it.
    /^link "reads the kubeconfig \(seen: client certificate · [\d.]+ ms\)"$/,
    /^heading "From flags to an object" level=4$/,
    /^link "an object \(seen: Deployment nginx\)"$/,
    /^heading "The request" level=4$/,
    /^link "sent \(seen: answer 201 · [\d.]+ ms\)"$/,
    /^heading "Since the older guides" level=4$/,
  );
  await page.locator("tn-guide h3[data-name='wrap-up'] button").click();
  await page.locator("tn-guide article table.path").waitFor();
  const end = await spoken(page, { role: "article", name: "Wrap-up" });
  named(end);
  says(
    end,
    /^heading "Where the time went" level=4$/,
    /^table "The critical path, from enter on"$/,
    /^columnheader "Chapter"$/,
    /^rowheader "kubectl"$/,
    /^button "kubectl"$/,
    /^cell "[\d.]+ ms"$/,
    /^cell "\d+ %"$/,
    /^rowheader "Scheduler"$/,
    /^rowheader "Container startup"$/,
    /^rowheader "Until 3 containers run, by way of the last \(.+\)"$/,
    /^cell "\d+ ms"$/,
  );
});

test("what just happened: a group with the command's name, and its parts in order", async (t) => {
  const page = await visit(t, "map");
  const lines = await spoken(page, { role: "region", name: "Terminal" });
  named(lines);
  says(
    lines,
    /^heading "Terminal" level=2$/,
    /^textbox "Terminal 1\. F6 leaves it\."$/,
    /^button "What just happened: earlier commands" expanded=false$/,
    /^group "What kubectl create deployment nginx --image=nginx --replicas=3 set off"$/,
    /^button "POST deployments 201 · [\d.]+ ms"$/,
    /^button "deployment controller made rs nginx-\w+"$/,
    /^button "3 pods"$/,
    /^button "node-\d, node-\d, node-\d"$/,
    /^button "3 started · \d+ ms"$/,
    /^button "Tell it slowly: kubectl create deployment nginx --image=nginx --replicas=3"$/,
  );
});

test("the trace: steps as a tree with their levels, and the step that is chosen", async (t) => {
  const page = await visit(t, "trace");
  const trace = page.locator("tn-trace");
  await trace.locator("[role=treeitem]").first().waitFor();
  await trace.getByRole("tree", { name: "Steps" }).focus();
  await page.keyboard.press("ArrowDown");
  await trace.locator("tn-step h2", { hasText: "reads ~/.kube/config" }).waitFor();
  const lines = await spoken(page, { role: "region", name: "Views" });
  named(lines);
  says(
    lines,
    /^navigation "Views"$/,
    /^link "Trace"$/,
    /^heading "Trace" level=2$/,
    /^combobox "Command" expanded=false$/,
    /^searchbox "Search the steps"$/,
    /^combobox "Component" expanded=false$/,
    /^button "By time" pressed=false$/,
    /^button "Export"$/,
    /^tree "Steps"$/,
    /^treeitem "\+0\.0 ms kubectl create deployment nginx .* ms" level=1 selected=false$/,
    /^treeitem "\+[\d.]+ ms reads .*kube\/config: .* as owner .* ms" level=2 selected=true$/,
    /^treeitem "\+[\d.]+ ms POST deployments default\/nginx 201 .* ms" level=3 selected=false$/,
    /^treeitem "\+[\d.]+ ms accepted kubernetes-admin, by client certificate .* ms" level=4 selected=false$/,
    /^treeitem "\+[\d.]+ ms put \/registry\/deployments\/default\/nginx .* ms" level=4 selected=false$/,
    /^region "Step"$/,
    /^heading "reads .*kube\/config: .* as owner .*" level=2$/,
    /^term "When"$/,
    /^term "By"$/,
    /^term "Chapter"$/,
    /^term "Because"$/,
    /^button "kubectl create deployment nginx .*"$/,
    /^heading "Data" level=3$/,
  );
});

test("the journey: the drawing by its parts, and as a list of what came of the command", async (t) => {
  const page = await visit(t, "journey");
  const journey = page.locator("tn-journey");
  // A pod is drawn as started before its kubelet says that it is ready, and what came last may still be under way.
  await journey
    .getByRole("button", { name: /: Running, ready$/ })
    .nth(2)
    .waitFor();
  await journey.getByRole("button", { name: "Show the last step at kubectl" }).waitFor();
  const lines = await spoken(page, { role: "region", name: "Views" });
  named(lines);
  says(
    lines,
    /^heading "Journey" level=2$/,
    /^button "Slowly" pressed=false$/,
    /^group "The cluster in this tab: .*arrow keys.*etcd is at revision \d+.*"$/,
    /^group "kubectl"$/,
    /^button "Show the last step at kubectl"$/,
    /^group "authentication: front proxy's headers, client certificate"$/,
    /^group "storage"$/,
    /^group "etcd"$/,
    /^group "kube-scheduler"$/,
    /^group "node-1"$/,
    /^button "Open node-1"$/,
    /^button "Open the pod default\/nginx-\w+-\w+: Running, ready"$/,
    /^list "What the command came to, step by step"$/,
    /^listitem ""/,
    /^button "Show the step"$/,
  );
});

test("the start: its beginning and its end are said, and not the clocks of its list", async (t) => {
  const page = await site.visit(t, "map");
  await page.getByRole("button", { name: /^ready in/ }).click();
  await page.locator(".boot li").first().waitFor();
  const lines = await spoken(page, { role: "main", name: "" });
  assert.deepEqual(
    lines.filter((line) => /Kubernetes runs in this tab.*live=|live=.*Kubernetes runs/.test(line)),
    [
      '  status "" live=polite: Kubernetes runs in this tabNothing was installed, and no server was asked.',
    ],
    lines.join("\n"),
  );
  // The list is there for whoever goes to it, without its marks.
  says(lines, /^listitem ""/);
  assert.doesNotMatch(await page.locator(".boot ol").ariaSnapshot(), /[·▸✓]/);
});

test("the terminal: each thing that is printed is said once, and the line is a field's text", async (t) => {
  const page = await visit(t, "map");
  await page.evaluate(() => {
    const { shadowRoot } = document.querySelector("tn-terminal");
    globalThis.said = "";
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const { textContent } of addedNodes) globalThis.said += `<${textContent}>`;
    }).observe(shadowRoot.querySelector(".xterm [role=log]"), { childList: true });
  });
  const hears = (text) =>
    page.waitForFunction((wanted) => globalThis.said.includes(wanted), text, { timeout: 10_000 });
  const field = page.getByRole("textbox", { name: "Terminal 1. F6 leaves it." });
  const box = await field.elementHandle();
  const has = (text) =>
    page.waitForFunction(
      ([input, wanted]) => input.value === wanted && input.selectionEnd === wanted.length,
      [box, text],
      { timeout: 10_000 },
    );
  await field.focus();
  const line = "echo o-n-e; sleep 1.5; echo t-w-o";
  await page.keyboard.type(line);
  assert.equal(await field.inputValue(), line);
  await page.keyboard.press("Enter");
  await hears("t-w-o");
  const said = await page.evaluate(() => globalThis.said);
  // Not the line at each of its keys, and not again what came before.
  assert.deepEqual(said.match(/o-n-e|t-w-o/g), ["o-n-e", "t-w-o"], said);
  // What stands on the screen can be read.
  const lines = await spoken(page, { role: "region", name: "Terminal" });
  says(lines, /^list "Screen"$/, /^listitem ""/);

  // From the history and from a completion comes a text that a key takes a character from.
  await page.keyboard.press("ArrowUp");
  await has(line);
  await hears(`<${line}>`);
  await page.keyboard.press("Control+U");
  await has("");
  await page.keyboard.type("kubectl scal");
  await page.keyboard.press("Tab");
  await has("kubectl scale ");
  await page.keyboard.press("Backspace");
  await has("kubectl scale");

  // Dictation and panels of emoji have no keys.
  await page.keyboard.insertText(" é");
  await has("kubectl scale é");
});

test("a view begins with a heading, and a key on A+ leaves the focus there", async (t) => {
  const page = await visit(t, "break");
  await page.locator("tn-break li").first().waitFor();
  const lines = await spoken(page, { role: "region", name: "Views" });
  says(lines, /^navigation "Views"$/, /^heading "Break" level=2$/, /^heading ".+" level=2$/);
  const larger = page.getByRole("button", { name: "A+: Larger type" });
  await larger.focus();
  await page.keyboard.press("Enter");
  assert.equal(await larger.evaluate((button) => button.matches(":focus")), true);
});

test("what an input method composes comes once, however fast, and wherever the cursor is", async (t) => {
  const page = await visit(t, "map");
  const browser = await page.context().newCDPSession(page);
  const key = (type) =>
    browser.send("Input.dispatchKeyEvent", {
      ...{ type, windowsVirtualKeyCode: 229, key: "Unidentified" },
    });
  // Between a key and what an input method makes of it the page may have had many turns.
  const turns = () =>
    page.evaluate(async () => {
      for (let i = 0; i < 5; i++) await new Promise((turn) => setTimeout(turn, 0));
    });
  const composes = async (word) => {
    for (let i = 1; i <= word.length; i++) {
      await key("rawKeyDown");
      await turns();
      const place = { selectionStart: i, selectionEnd: i };
      await browser.send("Input.imeSetComposition", { text: word.slice(0, i), ...place });
      await key("keyUp");
    }
    await browser.send("Input.insertText", { text: word });
  };
  const field = page.getByRole("textbox", { name: "Terminal 1. F6 leaves it." });
  const shows = (line) =>
    until(
      page,
      (text) => text.trimEnd().endsWith(`$ ${line}`),
      () => terminalText(page),
    );
  await field.focus();
  // Word after word, as a phone's keyboard does it.
  for (const word of ["get", " ", "po", " "]) await composes(word);
  await shows("get po");
  await page.keyboard.press("Control+U");
  await page.keyboard.type("echo ac");
  await shows("echo ac");
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction((input) => input.selectionEnd === 6, await field.elementHandle());
  await composes("b");
  await shows("echo abc");
});
