/* The configuration: its files as a draft, what a request passes, who may do what, and the audit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, screenshot } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

/** The head's buttons and words. */
const head = (page) => page.locator("tn-configuration .head");
const press = (page, name) => head(page).getByRole("button", { name, exact: true }).click();
const go = (page, name) =>
  page.locator("tn-configuration nav").getByRole("button", { name }).first().click();

test("a draft is checked, put into force and undone; the address has the file", async (t) => {
  const page = await site.visit(t, "configuration");
  await page.getByText("Upstream's defaults are in force").waitFor();
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "configuration-desktop-light");
  await page.getByRole("button", { name: "Audit everything" }).click();
  await page.waitForURL(/#\/configuration\/files\/audit\.yaml$/);
  await head(page).getByText("Changed: audit.yaml").waitFor();
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "configuration-file-desktop-light");
  await press(page, "Put into force");
  await head(page).getByText("kube-apiserver started anew in place, in 1.2 s").waitFor();

  // What is refused says so at its file, and the old one stays.
  const text = page.getByRole("textbox", { name: "Text of audit.yaml" });
  await text.fill("nonsense");
  await press(page, "Check");
  await page.locator("tn-configuration .problems").getByText("Object 'Kind' is missing").waitFor();
  await press(page, "Put into force");
  await head(page).getByRole("alert").getByText("the old one stays").waitFor();
  assert.equal(await text.locator(".cm-lintRange-error").count(), 0);
  // What is no YAML is marked while one types, and asks nobody.
  await text.fill("kind: Policy\nkind: Policy\n");
  await text.locator(".cm-lintRange-error").waitFor();
  await screenshot(page, "configuration-typed-desktop-light");
  await text.fill("kind: Policy\n");
  await text.locator(".cm-lintRange-error").waitFor({ state: "detached" });
  await text.fill("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadato\n");
  await press(page, "Check");
  await text.locator(".cm-lintRange-error", { hasText: "level: Metadato" }).waitFor();
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "configuration-refused-desktop-light");
  // A field's name is offered, from upstream's types.
  await text.press("Control+End");
  await page.keyboard.type("omitM");
  await page.getByRole("option", { name: "omitManagedFields" }).waitFor();
  await page.keyboard.press("Escape");
  await press(page, "Discard");
  await text.getByText("RequestResponse").waitFor();
  await press(page, "Undo");
  await head(page).getByText("Upstream's defaults are in force").waitFor();
  assert.equal((await text.innerText()).trim(), "");
});

test("plugins are switched in the draft, and what anybody wrote is text", async (t) => {
  const page = await site.visit(t, "configuration/access");
  await page.getByRole("checkbox", { name: "LimitRanger" }).uncheck();
  await head(page).getByText("Changed: kube-apiserver.flags").waitFor();
  await page.locator("tn-access-controls").getByText("not yet").waitFor();
  await page
    .locator("tn-access-controls")
    .getByText("<img src=x onerror=alert(1)> violates")
    .waitFor();
  assert.equal(await page.locator("tn-access-controls img").count(), 0);
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "configuration-access-desktop-light");
  await go(page, "kube-apiserver.flags");
  await page.getByText("--disable-admission-plugins=LimitRanger").waitFor();
});

test("on a phone, in the dark, with nothing to object to", async (t) => {
  const page = await site.visit(t, "configuration", { ...PHONE, colorScheme: "dark" });
  await page.getByRole("button", { name: "Audit everything" }).click();
  await press(page, "Put into force");
  await head(page).getByText("started anew in place").waitFor();
  for (const [name, part] of [
    ["Begin", "begin"],
    ["What a request passes", "access"],
    ["Who may do what", "rights"],
    ["Audit", "audit"],
    ["audit.yaml", "file"],
  ]) {
    await page.locator("tn-configuration select").first().selectOption({ label: name });
    if (part === "audit") await page.getByText("2 of 2").waitFor();
    assert.deepEqual(await violations(page), [], part);
    const over = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert.equal(over, 0, `${part} is wider than the phone`);
    await screenshot(page, `configuration-${part}-phone-dark`);
  }
});

test("a hostile address opens nothing but the beginning", async (t) => {
  const page = await site.visit(
    t,
    `configuration/files/${encodeURIComponent("../<img src=x>")}`,
    DESKTOP,
  );
  await page.getByRole("heading", { name: "The control plane's configuration" }).waitFor();
});
