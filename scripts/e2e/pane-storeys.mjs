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
    await crowd(page, map, thing);
  }
  await screenshot(page, `map-storeys-${options === PHONE ? "phone" : "desktop"}`);
  assert.deepEqual(await violations(page), []);
  await page.evaluate((hash) => (location.hash = hash), hash);
}

/** Above a crowd, whose pods are squares, the upper storey stays, and what can be done from it. */
async function crowd(page, map, thing) {
  const pods = "/api/v1/namespaces/default/pods";
  await page.evaluate(async (path) => {
    const make = (i) => {
      const metadata = { name: `p${i}`, labels: { app: `a${i}`, of: "crowd" } };
      const spec = { nodeSelector: { no: "where" }, containers: [{ name: "c", image: "nginx" }] };
      const body = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata, spec });
      const headers = { "content-type": "application/json" };
      return globalThis.tabernetes.fetch(path, { method: "POST", headers, body });
    };
    const made = await Promise.all(Array.from({ length: 41 }, (_, i) => make(i)));
    if (!made.every(({ ok }) => ok)) throw new Error("no crowd");
  }, pods);
  await page.evaluate(() => (location.hash = "#/map?by=label&label=app"));
  await map.locator("tn-map-canvas").waitFor();
  await thing("deployment/hello: 2 of 2 ready").waitFor();
  assert.equal(await map.locator(".storey").count(), 1);
  assert.equal(await map.locator(".lines path").count(), 0);
  await thing("service/hello").click();
  await thing("deployment/hello").click();
  await map.getByRole("button", { name: "One replica more" }).waitFor();
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "map-crowd-desktop");
  await page.evaluate(
    (path) => globalThis.tabernetes.fetch(`${path}?labelSelector=of%3Dcrowd`, { method: "DELETE" }),
    pods,
  );
  await page.evaluate(() => (location.hash = "#/map"));
  await thing("replicaset/hello-").first().waitFor();
}
