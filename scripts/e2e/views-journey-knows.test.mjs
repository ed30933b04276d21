/*
 * What a step knows stands beside the drawing where it does not change the object: who was asked and what they said,
 * nodes and plugins, and the line of source. Over the fake worker, which tells a small trace (web/dev/fake-trace.ts).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, screenshot } from "./browser.mjs";
import { journeysOf } from "./journeys.mjs";
import { settled } from "./look.mjs";
import { over } from "./visits.mjs";

const DEVICES = {
  desktop: DESKTOP,
  // There the object stands below the drawing.
  high: { ...DESKTOP, viewport: { width: 1440, height: 1060 } },
  phone: PHONE,
};

const journeyOf = journeysOf(over("out/site-fake"));

for (const [device, options] of Object.entries(DEVICES)) {
  test(`each step says what it knows, or shows what it changes: ${device}`, async (t) => {
    const { page, journey } = await journeyOf(t, options);
    await journey.getByRole("button", { name: "Slowly" }).click();
    const pane = journey.locator("tn-growth");
    await pane.waitFor();
    const at = journey.getByRole("slider", { name: "Step of the command" });
    const last = Number(await at.getAttribute("max"));
    const [data, fresh] = [pane.locator(".data"), pane.locator("[data-fresh] .text")];
    const scroll = pane.locator(".scroll");
    const seen = new Map();
    for (let i = 0; i <= last; i++) {
      await at.fill(String(i));
      await settled(page);
      const said = await journey.locator(".caption .said").innerText();
      const changes = (await fresh.allTextContents()).some(
        (text) => !/^\W*(resourceVersion|generation|.*Timestamp): |: (\{\}|\[\])$/.test(text),
      );
      assert.ok(!changes || (await data.count()) === 0, `both at ${i}: ${said}`);
      if (changes || (await data.count()) === 0) continue;
      // It is looked at from its beginning.
      const stands = await scroll.evaluate(({ scrollTop, scrollLeft }) => [scrollTop, scrollLeft]);
      assert.deepEqual(stands, [0, 0], `${i}: ${said}`);
      const text = await data.innerText();
      for (const [name, pattern] of Object.entries({
        authenticated: /^Asked one after the other[^]+client certificate\s+accepted/,
        scored: /^Nodes and scores[^]+Total/,
        filtered: /^Nodes and filters/,
      })) {
        if (seen.has(name) || !pattern.test(text)) continue;
        seen.set(name, said);
        if (name === "authenticated") {
          const href = await pane.locator(".source a").getAttribute("href");
          assert.match(href, /^https:\/\/github\.com\/kubernetes\/.*authentication\.go#L67$/);
        }
        assert.deepEqual(await violations(page), [], name);
        await screenshot(page, `journey-knows-${name}-${device}`);
      }
    }
    assert.deepEqual([...seen.keys()].toSorted(), ["authenticated", "filtered", "scored"]);
    if (device === "high") {
      const fits = await scroll.evaluate((box) => box.scrollHeight <= box.clientHeight + 1);
      assert.ok(fits, "it goes on below itself");
    }
  });
}

for (const [device, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  test(`from a step's place in the trace there is a way back to the story: ${device}`, async (t) => {
    const { page, journey } = await journeyOf(t, options);
    await journey.getByRole("button", { name: "Slowly" }).click();
    const at = journey.getByRole("slider", { name: "Step of the command" });
    await at.fill("12");
    await settled(page);
    const said = await journey.locator(".caption .said").innerText();
    const trace = page.locator("tn-trace");
    const back = trace.getByRole("button", { name: "Back to the journey" });
    await journey.getByRole("button", { name: "Show the step" }).click();
    await back.waitFor();
    assert.deepEqual(await violations(page), []);
    await screenshot(page, `trace-from-journey-${device}`);
    // Whichever steps are looked at meanwhile, the story is where it was.
    await trace.locator("[role=treeitem]").nth(2).click();
    await back.click();
    await journey.waitFor();
    await settled(page);
    assert.equal(await at.inputValue(), "12");
    assert.equal(await journey.locator(".caption .said").innerText(), said);
    // Who goes there by themselves has come from nowhere.
    await page.evaluate(() => (globalThis.location.hash = "#/trace"));
    await trace.waitFor();
    await settled(page);
    assert.equal(await back.count(), 0);
  });
}
