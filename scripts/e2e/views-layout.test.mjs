/*
 * Where things stand on the page: what must be seen is in sight, and nothing moves under the pointer.
 * Over the fake worker (web/dev).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, PHONE, screenshot } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

const OBJECT = "api/v1/namespaces/default/configmaps/applied";

/** An object as kubectl apply leaves it behind. */
async function applied(t, show, options = DESKTOP, keys = 100) {
  const page = await site.visit(t, `${OBJECT}?show=${show}`, options);
  await page.evaluate(async (keys) => {
    const last = "kubectl.kubernetes.io/last-applied-configuration";
    const metadata = {
      ...{ name: "applied", namespace: "default", uid: "applied" },
      labels: { app: "web" },
      annotations: {
        [last]: JSON.stringify({ spec: "x".repeat(3000) }),
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
      },
      managedFields: [{ manager: "kubectl-edit", operation: "Update", fieldsV1: { "f:data": {} } }],
    };
    const data = Object.fromEntries(Array.from({ length: keys }, (_, i) => [`key-${i}`, "value"]));
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data });
    await globalThis.tabernetes.fetch("/api/v1/configmaps/applied", { method: "PUT", body });
  }, keys);
  return page;
}

test("the editor of vi and kubectl edit: each number stands beside its line", async (t) => {
  const page = await site.visit(t);
  await page.keyboard.type("vi pod.yaml\r");
  const content = page.locator("tn-edit-dialog .cm-content");
  await content.waitFor();
  await page.keyboard.type("apiVersion: v1\rkind: Pod\rmetadata:\r");
  const tops = await page.evaluate(() => {
    const root = document.querySelector("tn-edit-dialog").shadowRoot;
    const at = (selector) =>
      [...root.querySelectorAll(selector)].map((e) => Math.round(e.getBoundingClientRect().top));
    const left = root.querySelector(".cm-content").getBoundingClientRect().left;
    return {
      lines: at(".cm-line"),
      numbers: at(".cm-lineNumbers .cm-gutterElement").slice(1),
      margin: left - root.querySelector("section").getBoundingClientRect().left,
    };
  });
  assert.ok(tops.lines.length >= 4);
  assert.deepEqual(tops.numbers, tops.lines);
  assert.ok(tops.margin < 60, `${tops.margin} px of empty margin`);
  await screenshot(page, "vi-desktop-light");
});

for (const [device, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  test(`what kubectl apply keeps on an object hides nothing: ${device}`, async (t) => {
    const page = await applied(t, "summary", options);
    const inspector = page.locator("tn-inspector");
    await inspector.locator(".pairs dt", { hasText: "last-applied" }).waitFor();
    const found = await inspector.evaluate((view) => {
      const root = view.shadowRoot;
      const values = [...root.querySelectorAll(".pairs dd")].filter((dd) => dd.innerText !== "");
      return {
        // A value that is one character a line is as narrow as that.
        narrow: values.filter((dd) => dd.getBoundingClientRect().width < 80).length,
        commands: root.querySelector(".commands").getBoundingClientRect().top,
        height: globalThis.innerHeight,
      };
    });
    assert.equal(found.narrow, 0);
    // And what is longer than the pane scrolls below its head.
    const panel = inspector.locator(".panel");
    await inspector.locator(".pairs details").first().click();
    await inspector.locator(".commands").scrollIntoViewIfNeeded();
    const box = await panel.boundingBox();
    assert.ok(box.y + box.height <= page.viewportSize().height, "the panel ends below the window");
    assert.ok(found.commands < found.height, `the commands begin at ${found.commands} px`);
    await screenshot(page, `applied-${device}-light`);
  });

  test(`an edit can be reviewed and left: ${device}`, async (t) => {
    const page = await applied(t, "edit", options);
    const pane = page.locator("tn-object-edit");
    await pane.locator(".cm-line", { hasText: "key-1" }).first().waitFor();
    const { height } = page.viewportSize();
    for (const name of ["Review", "Cancel"]) {
      const box = await pane.getByRole("button", { name }).boundingBox();
      assert.ok(box && box.y + box.height <= height, `${name} ends at ${box?.y + box?.height} px`);
    }
    // The text begins where the tabs end, and the one Edit is that of the tabs.
    const tabs = await page.locator("tn-inspector .tabs").boundingBox();
    const text = await pane.locator(".cm-editor").boundingBox();
    assert.ok(text.y - (tabs.y + tabs.height) < 8, "an empty stripe above the text");
    assert.equal(await page.getByRole("button", { name: "Edit", exact: true }).count(), 1);
    await screenshot(page, `edit-${device}-light`);
  });
}

test("managed fields are shown when asked for, and stay folded after a change", async (t) => {
  const page = await applied(t, "yaml", DESKTOP, 3);
  const yaml = page.locator("tn-object-yaml");
  const text = () =>
    yaml.evaluate((view) => view.shadowRoot.querySelector(".cm-content").innerText);
  await yaml.locator(".cm-line", { hasText: "kind: ConfigMap" }).waitFor();
  assert.doesNotMatch(await text(), /managedFields|f:data/);
  await yaml.getByRole("button", { name: "Managed fields" }).click();
  await yaml.locator(".cm-foldPlaceholder", { hasText: "kubectl-edit" }).first().waitFor();
  assert.doesNotMatch(await text(), /f:data/);
  await page.evaluate(async () => {
    const path = "/api/v1/configmaps/applied";
    const object = await (await globalThis.tabernetes.fetch(path)).json();
    object.metadata.managedFields[0].manager = "somebody-else";
    await globalThis.tabernetes.fetch(path, { method: "PUT", body: JSON.stringify(object) });
  });
  await yaml.locator(".cm-foldPlaceholder", { hasText: "somebody-else" }).first().waitFor();
  assert.doesNotMatch(await text(), /f:data/);
});

test("the palette opens with what there is, what is used most first", async (t) => {
  const page = await site.visit(t, "nodes");
  await page.keyboard.press("F6");
  await page.keyboard.press("Control+k");
  const palette = page.locator("tn-palette");
  // Kinds come once the server has said which there are.
  for (const name of [/^\s*Go to the map/, /^\s*pods/])
    await palette.locator("[role=option]").filter({ hasText: name }).first().waitFor();
  await screenshot(page, "palette-desktop-light");
  await page.keyboard.press("Escape");
  await page.keyboard.press(":");
  await palette
    .locator("[role=option]")
    .first()
    .filter({ hasText: /^\s*pods/ })
    .waitFor();
});

test("a kind that was gone to by keys has the focus: k9s' keys go on from there", async (t) => {
  const page = await site.visit(t, "map");
  await page.evaluate(() => globalThis.tabernetes.kubectl("create deployment nginx --replicas=2"));
  const objects = page.getByRole("link", { name: "Objects", exact: true });
  await objects.click();
  // Kinds stand in the order in which people look for them.
  const rows = page.locator("tn-grid tr[data-index]");
  await rows
    .first()
    .filter({ hasText: /^\s*pods/ })
    .waitFor();
  await objects.focus();
  await page.keyboard.type(":po");
  await page.locator("tn-palette [role=option]").first().filter({ hasText: "pods" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/api\/v1\/pods$/);
  await rows.filter({ hasText: "nginx-" }).nth(1).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/pods\/nginx-/);
  await page.locator("tn-inspector h2", { hasText: "pod/nginx-" }).waitFor();
});

test("who closes the guide finds it again", async (t) => {
  const page = await site.visit(t);
  const guide = page.getByRole("complementary", { name: "Guide" });
  await guide.getByRole("button", { name: "Close the guide" }).click();
  await guide.waitFor({ state: "hidden" });
  const button = page.locator("tn-tools").getByRole("button", { name: "Guide", pressed: false });
  await button.click();
  await guide.waitFor();
  await page.locator("tn-tools").getByRole("button", { name: "Guide", pressed: true }).waitFor();
});

test("the header says how to get to the palette from where one is", async (t) => {
  const page = await site.visit(t);
  const button = page.locator("tn-tools button", { hasText: "Ctrl K" });
  await button.filter({ hasText: "F6, Ctrl K" }).waitFor();
  const right = async () => {
    const { x, width } = await button.boundingBox();
    return [Math.round(x), Math.round(x + width)];
  };
  const before = await right();
  await page.keyboard.press("F6");
  await button.filter({ hasNotText: "F6" }).waitFor();
  assert.deepEqual(await right(), before);
  await page.keyboard.press("Control+k");
  await page.locator("tn-palette [role=option]").first().waitFor();
  const phone = await site.visit(t, "", PHONE);
  assert.equal((await phone.locator("tn-tools").innerText()).includes("Ctrl"), false);
  // Pulled down it would be loaded anew, and its cluster gone.
  const pulled = () => getComputedStyle(document.documentElement).overscrollBehavior;
  assert.equal(await phone.evaluate(pulled), "none");
  await phone.locator("tn-tools").getByRole("button", { name: /Go to/ }).click();
  await phone.locator("tn-palette [role=option]").first().waitFor();
});

for (const [device, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  test(`nothing in the table of nodes moves as a node goes and comes: ${device}`, async (t) => {
    const page = await site.visit(t, "nodes", options);
    const nodes = page.locator("tn-nodes");
    const places = () =>
      nodes.evaluate((view) => {
        const table = view.shadowRoot.querySelector("table").getBoundingClientRect();
        return [...view.shadowRoot.querySelectorAll("tbody .act")].map((e) => {
          const { x, y } = e.getBoundingClientRect();
          return `${Math.round(x - table.x)} ${Math.round(y - table.y)} ${e.innerText}`;
        });
      });
    await nodes.getByRole("button", { name: /^Stop node-2/ }).waitFor();
    const before = await places();
    const { width } = page.viewportSize();
    const remove = await nodes.getByRole("button", { name: /^Remove node-2/ }).boundingBox();
    assert.ok(remove.x + remove.width <= width, "the actions are in sight");
    await nodes.getByRole("button", { name: /^Stop node-2/ }).click();
    await nodes.getByText("gone since").waitFor();
    const after = await places();
    assert.notDeepEqual(after, before);
    // What runs can be shut down, which stands last, so that nothing moves when it goes.
    const gone = before.filter((place) => !after.includes(place) && /Shut down$/.test(place));
    assert.equal(gone.length, 1);
    assert.deepEqual(
      after.map((place) => place.replace("Heal", "Stop")),
      before.filter((place) => place !== gone[0]),
    );
    await screenshot(page, `nodes-places-${device}-light`);
  });
}
