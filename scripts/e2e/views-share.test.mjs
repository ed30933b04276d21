/*
 * A link to what somebody made, over the fake worker (web/dev): what it shows before anything is applied, and
 * what it refuses. outside.test.mjs opens links on a real cluster.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, ready, screenshot, terminalText } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");
const packed = (text) => deflateRawSync(Buffer.from(text)).toString("base64url");
const go = (page, hash) => page.evaluate((h) => (globalThis.location.hash = h), hash);

const MANIFEST = `apiVersion: v1
kind: Namespace
metadata: {name: "<img src=x onerror=document.title=1>"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: "a\u202Egnp.exe", namespace: "$(reboot)"}
data: {script: "<script>document.title = 2</script>\u001B[2J"}
`;

for (const [size, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  test(`a link is shown, asked, then applied: ${size}`, async (t) => {
    const page = await site.open(t, `${site.url}#/open?state=${packed(MANIFEST)}`, options);
    await ready(page);
    const view = page.locator("tn-open");
    await view.getByText("2 objects").waitFor();
    assert.match(await view.locator("ul").innerText(), /<img src=x onerror=document\.title=1>/);
    assert.match(await view.locator("ul").innerText(), /\$\(reboot\)\/a‹U\+202E›gnp\.exe/);
    assert.match(await view.locator("pre").innerText(), /<script>.*‹U\+001B›\[2J/);
    await page.locator(".boot").waitFor({ state: "detached" });
    await screenshot(page, `open-${size}`);
    assert.deepEqual(await violations(page), []);
    assert.ok(!(await terminalText(page)).includes("apply"), "it was applied unasked");
    const wide = await view.evaluate((element) => element.scrollWidth > element.clientWidth);
    assert.ok(!wide, "it is wider than its place");

    await view.getByRole("button", { name: "Apply" }).click();
    await page.waitForFunction(() =>
      /kubectl apply -f\s+~\/shared-\d{14}\.yaml/.test(
        document.querySelector("tn-terminal").text().replaceAll("\n", ""),
      ),
    );
    assert.doesNotMatch(await page.title(), /^[12]$/);
    assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
  });

  test(`what people made becomes a link: ${size}`, async (t) => {
    const page = await site.visit(t, "", options);
    if (size === "desktop") await page.getByRole("button", { name: "Share" }).click();
    else await go(page, "#/share");
    const view = page.locator("tn-share");
    await view.getByText("No Secret is in it").waitFor();
    await view.getByText("1 object").waitFor();
    await screenshot(page, `share-${size}`);
    assert.deepEqual(await violations(page), []);
    await view.getByLabel("with Secrets").check();
    await view.getByText("Its Secrets can be read").waitFor();
    await page.evaluate(() => {
      globalThis.copied = [];
      navigator.clipboard.writeText = (text) => Promise.resolve(globalThis.copied.push(text));
    });
    await view.getByRole("button", { name: "Copy link" }).click();
    const [link] = await page.evaluate(() => globalThis.copied);
    assert.ok(link.startsWith(`${site.url}#/open?state=`), link);
    await page.evaluate((to) => location.assign(to), link);
    await page.locator("tn-open").getByText("Namespace", { exact: true }).waitFor();
  });
}

test("a link that is damaged, hostile or too long is refused, and says why", async (t) => {
  const page = await site.visit(t);
  const says = async (query, words) => {
    await go(page, `#/open?${query}`);
    await page.locator("tn-open [role=status]", { hasText: words }).waitFor();
  };
  await says(`state=${packed(MANIFEST).slice(0, -9)}`, "The link is damaged");
  await says("state=<script>", "The link is damaged");
  await says(`state=${packed(" ".repeat(40_000_000))}`, "more than is taken");
  await says(`state=${"A".repeat(1_500_000)}`, "Nothing of it was read");
  await says(`state=${packed("[".repeat(400_000))}`, "levels deep");
  await says(`state=${packed("<!doctype html>")}`, "no manifest of Kubernetes");
  await says("url=javascript:alert(1)", "has to begin with https://");
  await says("url=https://kubernetes.default.svc/api", "inside of a cluster");
  await says("what=else", "names nothing to open");
  assert.equal(await page.locator("tn-open button").count(), 0);

  await go(page, "#/open");
  await page.getByLabel("Address of a manifest").fill("https://10.96.0.1/");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.locator("tn-open [role=status]", { hasText: "no name of the Internet" }).waitFor();
});

test("a site that keeps what is shared makes short links, and says that it can read them", async (t) => {
  const page = await site.visit(t);
  const kept = [];
  let answer = { status: 429, contentType: "text/plain", body: "Too much was shared.\n" };
  await page.route("**/s/*", (route) => {
    const request = route.request();
    const body = request.method() === "POST" ? "" : JSON.stringify({ days: 30 });
    if (body) return route.fulfill({ contentType: "application/json", body });
    kept.push(request.postData());
    return route.fulfill(answer);
  });
  await go(page, "#/share");
  const view = page.locator("tn-share");
  await view.getByText("who runs it can read it").waitFor();
  assert.deepEqual(kept, [], "something left this browser unasked");
  await view.getByRole("button", { name: "Make a short link" }).click();
  await view.getByText("Too much was shared.").waitFor();
  const id = "aA0-_aA0-_aA0-_x";
  answer = { status: 201, contentType: "application/json", body: JSON.stringify({ id }) };
  await view.getByRole("button", { name: "Make a short link" }).click();
  await view.getByText(`${site.url}s/${id}`).waitFor();
  await screenshot(page, "share-short-desktop");

  const open = page.locator("tn-open");
  const opens = async (response, words) => {
    await page.unroute("**/s/*");
    await page.route("**/s/*", (route) => route.fulfill(response));
    await go(page, "#/map");
    await go(page, `#/shared/${id}?n=${words.length}`);
    await open.getByText(words).first().waitFor();
  };
  await opens({ status: 404, contentType: "text/plain", body: "It has ended." }, "It has ended.");
  await opens(
    { status: 404, contentType: "text/html", body: "<h1>no" },
    "no short links (HTTP 404)",
  );
  await opens({ contentType: "text/html", body: "<script>" }, "damaged");
  await opens({ contentType: "text/plain", body: "A".repeat(9_000_000) }, "more than a link can");
  await opens({ contentType: "text/plain", body: kept[0] }, "Namespace");
  await go(page, "#/shared/..%2F..%2Fapi");
  await open.getByText("The short link is damaged").waitFor();
});
