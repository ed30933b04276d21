/*
 * The start of the API server, stage by stage; the way of a packet between two pods; and the object that
 * grows while a command is shown slowly. Over the fake worker.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, screenshot } from "./browser.mjs";
import { over } from "./visits.mjs";

const SMALL = { ...PHONE, viewport: { width: 360, height: 740 }, colorScheme: "dark" };

const site = over("out/site-fake");

const fits = async (page) =>
  assert.equal(
    await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    0,
    "the page scrolls sideways",
  );

test("the start is told stage by stage, and played again by keyboard", async (t) => {
  const page = await site.visit(t, "start");
  const view = page.locator("tn-start");
  const stages = view.locator("section h2");
  await stages.nth(4).waitFor();
  assert.match(
    (await stages.allInnerTexts()).join(" "),
    /^Flags\s.*Admission\s.*Authentication\s/s,
  );
  await view.getByText("--authorization-mode=Node,RBAC").waitFor();
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "start-desktop-light");
  await view.getByRole("button", { name: "One stage on" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await view.locator("section[data-now]", { hasText: "Admission" }).waitFor();
  // What comes later is not shown yet.
  assert.equal(await view.getByText("RBAC", { exact: true }).count(), 0);
  await view.getByRole("button", { name: "One stage back" }).focus();
  await page.keyboard.press("Enter");
  await view.locator("section[data-now]", { hasText: "Flags" }).waitFor();
  await view.getByRole("button", { name: "Show all" }).click();
  await view.getByText("RBAC", { exact: true }).waitFor();
});

test("the guide's chapters lead to the start, and to a packet's path", async (t) => {
  const page = await site.visit(t);
  const guide = page.locator("tn-guide");
  await guide.getByRole("button", { name: "etcd" }).first().click();
  await guide.getByRole("link", { name: "Play that start" }).click();
  await page.locator("tn-start section").first().waitFor();
  await guide.getByRole("button", { name: "Networking between hosts" }).first().click();
  await guide.getByRole("link", { name: "choose two pods" }).click();
  await page.locator("tn-network").waitFor();
});

test("the trace's head and the palette lead to the start, and to a packet's path", async (t) => {
  const page = await site.visit(t, "trace");
  const head = page.locator("tn-trace .bar");
  await head.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator("tn-start section").first().waitFor();
  await page.evaluate(() => (globalThis.location.hash = "#/trace"));
  await head.getByRole("button", { name: "Packet’s path" }).click();
  await page.locator("tn-network").waitFor();
  for (const [words, view] of [
    ["go to start", "tn-start"],
    ["packet", "tn-network"],
  ]) {
    await page.evaluate(() => (globalThis.location.hash = "#/map"));
    await page.keyboard.press("Control+k");
    await page.keyboard.type(words);
    await page.keyboard.press("Enter");
    await page.locator(view).waitFor();
  }
});

for (const [name, options] of [
  ["desktop-light", DESKTOP],
  ["phone-dark", SMALL],
]) {
  test(`a packet's path between two chosen pods, hop by hop: ${name}`, async (t) => {
    const page = await site.visit(t, "network", options);
    await page.evaluate(() =>
      globalThis.tabernetes.kubectl("create deployment nginx --image=nginx --replicas=3"),
    );
    const view = page.locator("tn-network");
    await view.getByLabel("To pod").locator("option").nth(2).waitFor({ state: "attached" });
    await view.getByLabel("To pod").selectOption({ index: 2 });
    await page.waitForURL(/#\/network\?/);
    const to = await view.getByLabel("To pod").inputValue();
    await view.locator("li", { hasText: `pod ${to}` }).waitFor();
    assert.equal(await view.locator("li").count(), 3);
    await view.getByText("10.244.1.0/24").waitFor();
    assert.deepEqual(await violations(page), []);
    await fits(page);
    await screenshot(page, `network-${name}`);
  });

  test(`slowly, the object grows, and each field has who set it: ${name}`, async (t) => {
    const page = await site.visit(t, "journey", options);
    await page.evaluate(() =>
      globalThis.tabernetes.kubectl("create deployment nginx --image=nginx --replicas=3"),
    );
    const journey = page.locator("tn-journey");
    await journey.getByRole("button", { name: "Slowly" }).click();
    await journey.getByRole("button", { name: "Go on" }).waitFor();
    const grown = journey.locator("tn-growth");
    const on = journey.getByRole("button", { name: "One step on" });
    for (const field of ["replicas: 3", "revisionHistoryLimit: 10", "uid: ", "resourceVersion: "]) {
      const line = grown.locator("li[data-fresh]", { hasText: field });
      for (let i = 0; i < 20 && (await line.count()) === 0; i++) {
        await on.click();
        // What is drawn is drawn when the step's details have come.
        await page.evaluate(
          () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))),
        );
      }
      await line.first().waitFor({ state: "attached" });
      // What only counts on with a write is in the object, which is folded then.
      if (field.startsWith("resource")) await grown.locator("summary").click();
      await line.first().waitFor();
      if (field.startsWith("replicas")) {
        // All of it is fresh: its first line is in sight, below the heading that stays.
        const [heading, first] = await Promise.all(
          ["h2", "li[data-fresh]"].map((what) => grown.locator(what).first().boundingBox()),
        );
        assert.ok(first.y >= heading.y + heading.height, `${first.y}, ${JSON.stringify(heading)}`);
      }
      if (field.startsWith("revision")) {
        assert.match(await line.innerText(), /defaults/);
        await screenshot(page, `growth-${name}`);
        assert.deepEqual(await violations(page), []);
      }
    }
    await fits(page);
  });
}

test("the start on a phone, in the dark, with nothing to object to", async (t) => {
  const page = await site.visit(t, "start", SMALL);
  await page.locator("tn-start section").nth(4).waitFor();
  assert.deepEqual(await violations(page), []);
  await fits(page);
  await screenshot(page, "start-phone-dark");
});

for (const [name, options] of [
  ["desktop, with the guide beside it", { ...DESKTOP, viewport: { width: 1440, height: 900 } }],
  ["phone", SMALL],
]) {
  test(`a table that is wider than the terminal scrolls sideways: ${name}`, async (t) => {
    const page = await site.visit(t, "", options);
    if (options === SMALL) {
      await page.getByRole("button", { name: "Terminal", exact: true }).click();
    }
    const [columns, sight] = await page.evaluate(() => {
      const root = document.querySelector("tn-terminal").renderRoot;
      const { width } = root.querySelector(".xterm-char-measure-element").getBoundingClientRect();
      const { length } = root.querySelector(".xterm-char-measure-element").textContent;
      const screen = root.querySelector(".xterm-screen").getBoundingClientRect().width;
      return [
        screen / (width / length),
        root.querySelector(".sideways").clientWidth / (width / length),
      ];
    });
    // `kubectl get pods -o wide` has some 125 columns.
    assert.ok(columns >= 128 && sight < 120, `${sight} of ${columns} columns are in sight`);
    await fits(page);
    await screenshot(page, `wide-${options === SMALL ? "phone-dark" : "desktop-light"}`);
  });
}
