/*
 * How the views lead to each other: a pod to what the scheduler said of it, an object to its steps, a
 * step back to its object.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, screenshot } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

/** A page with a pod that runs and one that no node takes; `show` is the inspector's tab. */
const visit = async (t, name, options = DESKTOP, show = "") => {
  const page = await site.visit(t, "", options);
  await page.evaluate(async () => {
    await globalThis.tabernetes.kubectl("create deployment nginx --image=nginx --replicas=2");
    await globalThis.tabernetes.kubectl("create deployment big --image=huge");
  });
  const pod = await page.evaluate(async (start) => {
    for (;;) {
      const { stdout } = await globalThis.tabernetes.kubectl("get pods");
      const lines = stdout.split("\n").map((line) => line.split(/\s+/));
      const found = lines.find(
        ([name, , status]) => name.startsWith(start) && (start === "big" || status === "Running"),
      );
      if (found) return found[0];
    }
  }, name);
  const object = `/api/v1/namespaces/default/pods/${pod}`;
  await page.evaluate((to) => (globalThis.location.hash = to), `#${object}${show}`);
  return { page, object, pod };
};

for (const [name, options] of [
  ["desktop", DESKTOP],
  ["phone", PHONE],
]) {
  test(`an address of the guide opens its chapter beside the view that there was: ${name}`, async (t) => {
    const page = await site.visit(t, "guide/etcd", options);
    const chapter = (of) => page.locator(`tn-guide h3[data-name="${of}"][data-open]`);
    await chapter("etcd").waitFor();
    assert.equal(await page.getByText("This page has no view called").count(), 0);
    const at = (hash) => page.evaluate((to) => (globalThis.location.hash = to), hash);
    await at("#/trace");
    await page.locator("tn-trace").waitFor({ state: "attached" });
    await at("#/guide/scheduler");
    await chapter("scheduler").waitFor();
    await page.waitForURL(/#\/trace$/);
    // One that there is none of opens the guide, and nothing else.
    await at("#/guide/<img src=x>");
    await page.waitForURL(/#\/trace$/);
    await chapter("scheduler").waitFor();
  });
}

test("a pod that runs has nodes by plugins, and which was chosen", async (t) => {
  const { page } = await visit(t, "nginx");
  await page.getByRole("tab", { name: "Scheduling" }).click();
  const tab = page.locator("tn-object-scheduling");
  await tab.getByText("3 of 3 nodes passed").waitFor();
  const scores = tab.getByRole("region", { name: "Nodes and scores" });
  assert.equal(await scores.locator("tbody tr").count(), 3);
  assert.equal(await scores.locator("tr[data-chosen]").count(), 1);
  assert.equal(await tab.getByRole("button").count(), 0);
  assert.equal(await tab.getByText("did not come to this plugin").count(), 0);
  // A table that is wider than its place has a shadow where it is cut, and keeps its nodes' names in sight.
  const [grounds, kept] = await scores.evaluate((box) => {
    box.style.width = "120px";
    const from = box.getBoundingClientRect().left;
    box.scrollLeft = box.scrollWidth;
    const name = box.querySelector("tbody th").getBoundingClientRect().left;
    return [getComputedStyle(box).backgroundAttachment, box.scrollLeft > 0 && name - from < 1];
  });
  assert.equal(grounds, "local, scroll");
  assert.equal(kept, true);
});

test("a pod that waits says why, and a cell that was not asked is asked on a press", async (t) => {
  const { page } = await visit(t, "big");
  await page.getByRole("tab", { name: "Scheduling" }).click();
  const tab = page.locator("tn-object-scheduling");
  await tab.getByText("0/3 nodes are available").waitFor();
  const cell = tab.getByRole("button", {
    name: "Ask NodeResourcesFit of node-2 now (not asked: TaintToleration had refused)",
  });
  await cell.focus();
  await page.keyboard.press("Enter");
  await tab.getByRole("heading", { name: "Asked afterwards" }).waitFor();
  await tab.getByText("refused: Insufficient cpu").waitFor();
  assert.equal(await cell.count(), 0);
  await tab.locator("td[data-refused]", { hasText: "✕*" }).waitFor();
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "scheduling-desktop-light");
});

test("an object leads to its steps of all commands, and a step back to it", async (t) => {
  const { page, pod, object } = await visit(t, "nginx");
  const inspector = page.locator("tn-inspector");
  await inspector.getByRole("button", { name: "Steps", exact: true }).click();
  const trace = page.locator("tn-trace");
  const rows = trace.locator("[role=treeitem]");
  await rows.filter({ hasText: "RunPodSandbox" }).waitFor();
  for (const text of await rows.locator(".what").allInnerTexts()) {
    assert.ok(text.includes(pod) || !text.includes("nginx-"), text);
  }
  // What is chosen there is still of this object, and its address can be sent to somebody.
  await rows.filter({ hasText: "RunPodSandbox" }).click();
  assert.equal(new URL(page.url()).hash, `#/trace?of=${encodeURIComponent(object)}`);
  await trace
    .locator("tn-step")
    .getByRole("button", { name: `pods default/${pod}`, exact: true })
    .click();
  await inspector.getByRole("heading", { name: new RegExp(pod) }).waitFor();
  await page.goBack();
  await trace.getByTitle("Back to the steps of a command").click();
  await trace.getByLabel("Command").waitFor();
});

test("an event leads to its step, a step to its object, and both back", async (t) => {
  const { page, pod, object } = await visit(t, "nginx", DESKTOP, "?show=events");
  await page.waitForFunction(async (name) => {
    const { steps } = await globalThis.tabernetes.trace();
    return steps.some((step) => step.kind === "kubelet.event" && step.object.name === name);
  }, pod);
  const inspector = page.locator("tn-inspector");
  const step = page.locator("tn-trace tn-step");
  const told = step.getByRole("heading", { name: "Started: Started container nginx" });
  const about = step.getByRole("button", { name: `pods default/${pod}`, exact: true });
  // Of the object's own events, by keyboard …
  await inspector.getByRole("button", { name: "The step that Started tells of" }).focus();
  await page.keyboard.press("Enter");
  await told.waitFor();
  await about.click();
  await inspector.getByRole("heading", { name: new RegExp(pod) }).waitFor();
  assert.equal(new URL(page.url()).hash, `#${object}`);
  // … and of all events.
  await page.evaluate(() => (globalThis.location.hash = "#/events"));
  const events = page.locator("tn-events-page");
  const row = events.locator("tr", { hasText: "Started" }).filter({ hasText: pod });
  await row.getByRole("button", { name: "Started", exact: true }).click();
  await told.waitFor();
  await about.waitFor();
  await page.goBack();
  await row.waitFor();
});

test("scheduling: axe finds nothing, and 360 pixels are enough", async (t) => {
  const small = { ...PHONE, viewport: { width: 360, height: 740 }, colorScheme: "dark" };
  const { page } = await visit(t, "big", small, "?show=scheduling");
  await page.locator("tn-object-scheduling").getByText("0/3 nodes are available").waitFor();
  assert.deepEqual(await violations(page), []);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.equal(wider, 0);
  await screenshot(page, "scheduling-phone-dark");
});

for (const [device, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  test(`then and now: what an edition says leads to its chapter, ${device}`, async (t) => {
    const page = await site.visit(t, "editions", options);
    const lines = page.locator("tn-editions tbody tr");
    await lines.nth(45).waitFor();
    await page.getByRole("searchbox", { name: "Filter the lines" }).fill("dockershim");
    await page.waitForFunction(
      () =>
        document.querySelector("tn-editions").shadowRoot.querySelectorAll("tbody tr").length === 2,
    );
    assert.deepEqual(await violations(page), []);
    await screenshot(page, `editions-${device}`);
    await lines.first().getByRole("link", { name: "guide: cri" }).click();
    await page.locator("tn-guide h3[data-open][data-name='cri']").waitFor();
  });
}
