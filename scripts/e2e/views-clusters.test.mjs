/* The view of clusters that are kept, over the fake worker (web/dev). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, PHONE, ready, screenshot } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

/** Puts clusters of some bytes into the browser's storage. */
const put = (page, clusters) =>
  page.evaluate(async (clusters) => {
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle("tabernetes", { create: true });
    for (const [name, bytes] of Object.entries(clusters)) {
      const folder = await all.getDirectoryHandle(name, { create: true });
      const file = await folder.getFileHandle("journal-00000000", { create: true });
      const out = await file.createWritable();
      await out.write(new Uint8Array(bytes).fill(7));
      await out.close();
    }
  }, clusters);

const names = (view) => view.locator("td.name").allInnerTexts();

for (const [size, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  test(`clusters are listed, renamed, deleted, exported and imported: ${size}`, async (t) => {
    const page = await site.open(t, site.url, options);
    await ready(page);
    await put(page, { cluster: 4_200_000, "lesson-3": 1_300_000, staging: 88_000 });
    await page.evaluate(() => (location.hash = "#/clusters"));
    const view = page.locator("tn-clusters");
    const says = (text) => view.locator("[role=status]", { hasText: text }).waitFor();
    await view.getByText("4.2 MB").waitFor();
    await screenshot(page, `clusters-${size}`);
    assert.deepEqual(await names(view), ["cluster", "lesson-3", "staging"]);
    const wide = await view.evaluate((element) => element.scrollWidth > element.clientWidth);
    assert.ok(!wide, "it is wider than its place");

    const row = (name) => view.locator("tr", { has: page.locator("td.name", { hasText: name }) });
    await row("staging").getByRole("button", { name: "Rename" }).click();
    await view.getByLabel("New name").fill("../out");
    await view.locator("td").getByRole("button", { name: "Rename" }).last().click();
    await says("small letters");
    await view.getByLabel("New name").fill("lesson-3");
    await view.locator("td input + button").click();
    await says("already");
    await view.getByLabel("New name").fill("production");
    await view.locator("td input + button").click();
    await says("staging is called production now");
    assert.deepEqual(await names(view), ["cluster", "lesson-3", "production"]);
    await view.getByText("0.1 MB").waitFor();

    await row("lesson-3").getByRole("button", { name: "Delete" }).click();
    await screenshot(page, `clusters-delete-${size}`);
    await row("lesson-3").getByRole("button", { name: "Keep it" }).click();
    await row("lesson-3").getByRole("button", { name: "Delete" }).click();
    await row("lesson-3").getByRole("button", { name: "Delete lesson-3" }).click();
    await says("lesson-3 is deleted");
    assert.deepEqual(await names(view), ["cluster", "production"]);

    const [file] = await Promise.all([
      page.waitForEvent("download"),
      view.getByRole("button", { name: "Export a file" }).click(),
    ]);
    assert.equal(file.suggestedFilename(), "tabernetes.tar");
    const [yaml] = await Promise.all([
      page.waitForEvent("download"),
      view.getByRole("button", { name: "Download as YAML" }).click(),
    ]);
    assert.equal(yaml.suggestedFilename(), "tabernetes.yaml");

    await view.getByLabel("Name of the imported cluster").fill("cluster");
    const choose = () =>
      view
        .getByLabel("File of a cluster")
        .setInputFiles({ name: "x.tar", mimeType: "application/x-tar", buffer: Buffer.from("no") });
    await choose();
    await says('There is a cluster "cluster" already');
    await view.getByLabel("Name of the imported cluster").fill("other");
    await choose();
    await says("the file ends early");
  });
}

for (const [size, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  test(`it is said what is kept of its memory, and why no more: ${size}`, async (t) => {
    const page = await site.open(t, site.url, options, () => {
      const settings = { intro: false, keep: true, cluster: "mine", resume: true };
      localStorage["tabernetes.settings"] = JSON.stringify(settings);
    });
    await ready(page);
    const said =
      /Its memory was kept 2m\d+s ago: 214 MB\. None could be kept \d+s ago: the browser's storage for this page is full: delete clusters that you do not need\./;
    for (const view of ["clusters", "settings"]) {
      await page.evaluate((hash) => (location.hash = hash), `#/${view}`);
      await page.locator(`tn-${view}`).getByText(said).waitFor();
      const wide = await page
        .locator(`tn-${view}`)
        .evaluate((element) => element.scrollWidth > element.clientWidth);
      assert.ok(!wide, "it is wider than its place");
      await screenshot(page, `${view}-memory-${size}`);
    }
  });
}

test("the browser that is asked to keep it may refuse, which both views say", async (t) => {
  for (const granted of [true, false]) {
    const page = await site.open(t, site.url, DESKTOP, {
      content: `let asked = false;
        StorageManager.prototype.persisted = async () => asked && ${granted};
        StorageManager.prototype.persist = async () => (asked = true) && ${granted};`,
    });
    await ready(page);
    await page.evaluate(() => (location.hash = "#/settings"));
    await page
      .locator("tn-settings")
      .getByLabel(/^Keep it in this browser/)
      .check();
    const may = "this browser may delete it when space becomes scarce";
    await page
      .locator("tn-settings")
      .getByText(granted ? "The next cluster is kept until you reset it." : may)
      .waitFor();
    await page.evaluate(() => (location.hash = "#/clusters"));
    const view = page.locator("tn-clusters");
    if (granted) {
      await view.getByText("The browser keeps it until you delete it.").waitFor();
      continue;
    }
    await view.getByRole("button", { name: "Ask the browser to keep it" }).click();
    await view.getByText("The browser refuses for now.").waitFor();
    await view.getByText("The browser may delete it when space becomes scarce").waitFor();
  }
});
