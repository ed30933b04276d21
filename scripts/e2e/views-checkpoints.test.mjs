/* The view that goes back in time, over the fake worker (web/dev). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, PHONE, ready, screenshot } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

for (const [size, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  test(`moments are listed, compared, gone back to and named: ${size}`, async (t) => {
    const page = await site.open(t, site.url, options);
    await ready(page);
    await page.evaluate(() => (location.hash = "#/checkpoints"));
    const view = page.locator("tn-checkpoints");
    const says = (text) => view.locator("[role=status]", { hasText: text }).waitFor();
    const row = (text) => view.locator("tbody tr", { hasText: text });
    await view.getByText("These moments end with this tab.").waitFor();
    const first = row("kubectl delete namespace shop");
    await first.getByRole("button", { name: "What would change" }).click();
    await view.getByText("3 objects come back, 1 object changes and 1 object goes.").waitFor();
    await screenshot(page, `checkpoints-${size}`);
    const wide = await view.evaluate((element) => element.scrollWidth > element.clientWidth);
    assert.ok(!wide, "it is wider than its place");
    await view.getByLabel("Name of the new cluster").fill("../out");
    await view.getByRole("button", { name: "Keep as a cluster" }).click();
    await says("small letters");
    await view.getByRole("button", { name: "Go back to here" }).click();
    await says("3 objects came back, 1 object is as then and 1 object went.");
    await row("going back to").waitFor();

    await view.getByLabel("What to call this moment").fill("before lunch");
    await view.getByRole("button", { name: "Remember now" }).click();
    await row("before lunch").waitFor();
    assert.match(await view.locator("tbody tr").first().innerText(), /before lunch/);
    await row("before lunch").getByRole("button", { name: "What would change" }).click();
    await view.getByText("Nothing would change.").waitFor();
    assert.ok(await view.getByRole("button", { name: "Go back to here" }).isDisabled());
  });
}
