/* The map's storeys, while the browser view asks. */
import assert from "node:assert/strict";
import { violations } from "./axe.mjs";
import { PHONE, screenshot, sh } from "./browser.mjs";

/** The map's storeys: what made the pods, lines on selection, and who answers lights up. */
export async function storeys(page, options) {
  const { hash } = await page.evaluate(() => location);
  await page.evaluate(() => (location.hash = "#/map"));
  if (options === PHONE) await page.getByRole("button", { name: "Map" }).click();
  const map = page.locator("tn-map");
  const thing = (label) => map.locator(`.thing[title^="${label}"]`);
  await thing("deployment/hello: 2 of 2 ready").waitFor();
  assert.equal(await thing("replicaset/hello-").count(), 1);
  assert.equal(await thing("replicaset/hello-").locator(".square").count(), 2);
  // Three requests, and pods that have answered: seen by what lights up.
  await page.evaluate(() => {
    const { shadowRoot } = document.querySelector("tn-map");
    globalThis.lit = new Set();
    const look = () => {
      for (const pod of shadowRoot.querySelectorAll(".pod[data-uid]")) {
        if (pod.getAnimations().some(({ effect }) => effect.getTiming().duration === 1200))
          globalThis.lit.add(pod.dataset.uid);
      }
      requestAnimationFrame(look);
    };
    look();
  });
  await sh(
    page,
    "kubectl run asks --rm -i --restart=Never --image=busybox -- sh -c 'for i in 1 2 3 4 5 6; do wget -qO- hello:8080; done'",
  );
  await page.waitForFunction(() => globalThis.lit.size > 0);
  if (options !== PHONE) {
    await thing("deployment/hello").click();
    const lines = () => map.locator(".lines path").count();
    await page.waitForFunction(
      () => document.querySelector("tn-map").shadowRoot.querySelectorAll(".lines path").length >= 3,
    );
    await thing("service/hello").click();
    await page.waitForFunction(
      () =>
        document.querySelector("tn-map").shadowRoot.querySelectorAll(".lines path").length === 2,
    );
    assert.equal(await lines(), 2);
    await thing("deployment/hello").click();
    await map.getByRole("button", { name: "One replica more" }).click();
    await thing("deployment/hello: 3 of 3 ready").waitFor();
    await map.getByRole("button", { name: "One replica less" }).click();
    await thing("deployment/hello: 2 of 2 ready").waitFor();
  }
  await screenshot(page, `map-storeys-${options === PHONE ? "phone" : "desktop"}`);
  assert.deepEqual(await violations(page), []);
  await page.evaluate((hash) => (location.hash = hash), hash);
}
