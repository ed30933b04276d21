/*
 * The first view: the journey stands where the map stands until a first command has ended, with three
 * ways in above it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, looks, PHONE, ready, screenshot, terminalText } from "./browser.mjs";
import { over } from "./visits.mjs";

const CREATE = "kubectl create deployment nginx --image=nginx --replicas=3";
const SMALL = { ...PHONE, viewport: { width: 360, height: 740 } };

const site = over("out/site-fake");

/** As somebody who comes for the first time. */
const visit = (t, options = DESKTOP) => site.visit(t, "", { ...options, newcomer: true });
const way = (page, name) => page.locator("tn-ways").getByRole("button", { name });
const tab = (page, name) =>
  page.getByRole("navigation", { name: "Views" }).getByRole("link", { name });

test("a newcomer sees the journey; the map is a click away, and back", async (t) => {
  const page = await visit(t);
  await page.locator("tn-journey svg").waitFor();
  assert.equal(await page.locator("tn-map").count(), 0);
  // Whom the server would ask is there before the first command.
  assert.match(await page.locator("tn-journey svg").textContent(), /2 authorizers/);
  assert.equal(await terminalText(page).then((text) => text.includes("$ kubectl")), false);
  await page.waitForFunction(() =>
    document.querySelector("tn-terminal").shadowRoot.activeElement?.matches("textarea"),
  );
  await tab(page, "Map").click();
  await page.locator("tn-map .column").first().waitFor();
  await tab(page, "Journey").click();
  await page.locator("tn-journey svg").waitFor();
});

test("once a first command has ended and rests, the map stands there", async (t) => {
  const page = await visit(t);
  await page.mouse.move(720, 700);
  await page.keyboard.type(`${CREATE}\r`);
  await page.locator("tn-map button.pod").nth(2).waitFor();
  assert.equal(await page.locator("tn-journey").isVisible(), false);
  assert.equal(new URL(page.url()).hash, "");
  await tab(page, "Journey").click();
  await page.locator("tn-journey").getByRole("button", { name: "Slowly" }).waitFor();
  // The ways in were for the beginning.
  assert.equal(await page.locator("tn-ways").isVisible(), false);
});

test("it does not go away under the pointer, nor while it is replayed", async (t) => {
  const page = await visit(t);
  await page.clock.install();
  const journey = page.locator("tn-journey");
  await journey.hover();
  await page.keyboard.type(`${CREATE}\r`);
  await page.clock.runFor(20_000);
  await journey.locator("rect.pod[data-started]").nth(2).waitFor();
  await journey.getByRole("button", { name: "Slowly" }).click();
  await page.mouse.move(720, 700);
  await page.clock.runFor(20_000);
  assert.equal(await journey.isVisible(), true);
  await journey.getByRole("button", { name: "As it happens" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("tn-terminal .xterm").click();
  await page.locator("tn-map button.pod").first().waitFor();
});

test("who follows a command has it run, the guide beside it, and then slowly, by itself", async (t) => {
  const page = await visit(t);
  await page.getByRole("button", { name: "Close the guide" }).click();
  await way(page, "Follow a command").click();
  const journey = page.locator("tn-journey");
  await journey.locator("rect.pod[data-started]").nth(2).waitFor();
  assert.match(await terminalText(page), /deployment.apps\/nginx created/);
  await journey.getByRole("button", { name: "Go on" }).waitFor();
  const at = journey.getByRole("slider", { name: "Step of the command" });
  // The keys are where it goes on: the arrows lead from step to step.
  await page.waitForFunction(() =>
    document.querySelector("tn-journey").shadowRoot.activeElement?.classList.contains("play"),
  );
  for (const [key, step] of [
    ["ArrowRight", "1"],
    ["ArrowRight", "2"],
    ["ArrowLeft", "1"],
  ]) {
    await page.keyboard.press(key);
    await page.waitForFunction(
      (value) =>
        document.querySelector("tn-journey").shadowRoot.querySelector("input").value === value,
      step,
    );
  }
  const chapters = new Set();
  const last = Number(await at.getAttribute("max"));
  for (let i = 0; i <= last; i++) {
    await at.fill(String(i));
    chapters.add(await page.locator("tn-guide h3[data-open]").getAttribute("data-name"));
  }
  for (const name of ["kubectl", "admission", "etcd", "controllers", "scheduler", "startup"]) {
    assert.ok(chapters.has(name), `${name} of ${[...chapters].join(" ")}`);
  }
  // Three pods alike are told once; every step is there for who wants it.
  await journey.getByRole("button", { name: "Every step" }).click();
  assert.ok(Number(await at.getAttribute("max")) > last);
});

test("a command that is refused is turned back where that happens, with the reason", async (t) => {
  const page = await visit(t);
  await page.keyboard.type("kubectl create deployment lost --image=nginx --namespace=nowhere\r");
  await page
    .locator("tn-journey .refused", { hasText: 'namespaces "nowhere" not found' })
    .waitFor();
  assert.equal(await page.locator("tn-map").count(), 0);
});

test("an object that is not valid is turned back at validation, with the field", async (t) => {
  const page = await visit(t);
  await page.keyboard.type("kubectl create deployment LOST --image=nginx\r");
  const journey = page.locator("tn-journey");
  const refused = journey.locator(".refused", { hasText: "not valid: metadata.name" });
  await refused.waitFor();
  const station = journey.locator("text", { hasText: /^validation$/ });
  const x = (of) => of.first().getAttribute("x");
  assert.equal(await x(refused.locator("text")), await x(station));
  await page.locator("tn-happened button", { hasText: "422: not valid: metadata.name" }).waitFor();
});

test("something to break: all there is, and the ways in stay above it", async (t) => {
  const page = await visit(t);
  await way(page, "Break something").click();
  await page.locator("tn-break").waitFor();
  assert.equal(new URL(page.url()).hash, "#/break");
  await tab(page, "Journey").click();
  await page.locator("tn-journey svg").waitFor();
  assert.equal(await page.locator("tn-ways").isVisible(), true);
});

test("just a terminal: guide and journey make place, and stay away", async (t) => {
  const page = await visit(t);
  await way(page, "Just a terminal").click();
  await page.locator("tn-map .column").first().waitFor();
  assert.equal(await page.locator("tn-guide").isVisible(), false);
  await page.keyboard.type("kubectl get pods\r");
  await page.waitForFunction(() =>
    document.querySelector("tn-terminal").text().includes("get pods"),
  );
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await ready(page);
  await page.locator("tn-map .column").first().waitFor();
  assert.equal(await page.locator("tn-journey").count(), 0);
  await page.keyboard.press("F6");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("ways in");
  await page.keyboard.press("Enter");
  await page.locator("tn-ways").waitFor();
});

for (const [device, colorScheme, options] of looks(DESKTOP, SMALL)) {
  test(`axe finds nothing, and pictures: ${device}, ${colorScheme}`, async (t) => {
    const page = await visit(t, { ...options, reducedMotion: "reduce" });
    await page.locator("tn-journey svg").waitFor();
    assert.deepEqual(await violations(page), []);
    await screenshot(page, `first-${device}-${colorScheme}`);
    await way(page, "Follow a command").click();
    const journey = page.locator("tn-journey");
    await journey.getByRole("button", { name: "Go on" }).waitFor();
    await journey.getByRole("slider").fill("40");
    assert.deepEqual(await violations(page), []);
    await screenshot(page, `first-slowly-${device}-${colorScheme}`);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(wider, 0);
  });
}
