/* The store: its keys as a tree, an object decoded, what each version changed, and who watches. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, screenshot } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

const visit = async (t, options = DESKTOP) => {
  const page = await site.visit(t, "etcd", options);
  await page.evaluate(() =>
    globalThis.tabernetes.kubectl("create deployment nginx --image=nginx --replicas=2"),
  );
  return page;
};

/** Opens what is open of the tree, one directory below the other, by keyboard. */
const reach = async (page, ...names) => {
  for (const name of names) {
    await page.locator("tn-etcd .tree").getByRole("button", { name }).first().focus();
    await page.keyboard.press("Enter");
  }
};

test("a key is found in the tree, decoded, with its history and what changed", async (t) => {
  const page = await visit(t);
  await reach(page, /^\/ /, /registry\//, /^pods\//, /default\//, /^nginx-/);
  const detail = page.locator("tn-etcd .detail");
  await detail.getByRole("heading", { name: /^\/registry\/pods\/default\/nginx-/ }).waitFor();
  await detail.getByRole("heading", { name: "Object" }).waitFor();
  const history = detail.getByRole("region", { name: "History" });
  await history.locator("tbody tr").nth(1).waitFor();
  await history.locator("tbody button[aria-pressed]").first().click();
  await detail.locator("ins").first().waitFor();
  await detail.getByRole("region", { name: "Watchers" }).locator("tbody tr").first().waitFor();
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "etcd-desktop-light");
});

test("the key is in the address, and an address leads to its key", async (t) => {
  const page = await visit(t);
  await reach(page, /^\/ /, /registry\//, /^pods\//, /default\//, /^nginx-/);
  const heading = page.locator("tn-etcd .detail").getByRole("heading", { level: 2 }).first();
  await page.waitForURL(/#\/etcd\?key=/);
  const key = new globalThis.URLSearchParams(page.url().split("?")[1]).get("key");
  assert.match(key, /^\/registry\/pods\/default\/nginx-/);
  const other = "/registry/namespaces/default";
  await page.evaluate((to) => (location.hash = to), `#/etcd?key=${encodeURIComponent(other)}`);
  await page.locator("tn-etcd .detail").getByRole("heading", { name: other }).waitFor();
  // What a stranger put into an address is a key that is not there, and text.
  const hostile = '/registry/"><img src=x onerror=alert(1)>' + "k".repeat(5000);
  await page.evaluate((to) => (location.hash = to), `#/etcd?key=${encodeURIComponent(hostile)}`);
  await heading.waitFor();
  assert.equal(await page.locator("tn-etcd img").count(), 0);
});

test("on a phone, in the dark, with nothing to object to", async (t) => {
  const small = { ...PHONE, viewport: { width: 360, height: 740 }, colorScheme: "dark" };
  const page = await visit(t, small);
  await reach(page, /^\/ /, /registry\//, /^pods\//);
  assert.deepEqual(await violations(page), []);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.equal(wider, 0);
  await screenshot(page, "etcd-phone-dark");
});
