/*
 * What the page says, and when: at the start, in its title, at an address that leads nowhere, of what
 * to try next. Over the page in mode "fake".
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DESKTOP, PHONE, ready, screenshot } from "./browser.mjs";
import { until } from "./look.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

describe("the start", () => {
  for (const [name, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    test(`says what each step does, and how long it took the last time: ${name}`, async (t) => {
      const page = await site.open(t, `${site.url}?verbose`, options, () => {
        // What the rows have said, each time that one of them changed.
        globalThis.said = new Map();
        const look = () => {
          const root = document.querySelector("tn-boot")?.shadowRoot;
          for (const row of root?.querySelectorAll("li[data-state=running]") ?? []) {
            const [, step, detail] = [...row.children].map((cell) => cell.textContent.trim());
            globalThis.said.set(step, detail);
          }
          requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      });
      const apiserver = page.locator("tn-boot li[data-state=running]", { hasText: "apiserver" });
      await apiserver.waitFor();
      const card = await page.locator("tn-boot .boot").boundingBox();
      if (name === "desktop") {
        const tabs = await page.locator("tn-stage nav").boundingBox();
        assert.ok(card.y >= tabs.y + tabs.height, "the card covers the tabs of the views");
      }
      await ready(page);
      const said = await page.evaluate(() => Object.fromEntries(globalThis.said));
      for (const step of ["compile", "apiserver", "nodes"]) assert.notEqual(said[step] ?? "", "");
      await page.locator(".boot").waitFor({ state: "detached" });
      await page.reload();
      await apiserver.waitFor();
      await screenshot(page, `views-words-start-${name}`);
      await ready(page);
      assert.match(
        await page.evaluate(() => globalThis.said.get("apiserver")),
        /^\d\.\d\d s last time$/,
      );
    });
  }

  for (const height of [900, 720]) {
    test(`leaves a newcomer the ways in and the terminal: ${height} px high`, async (t) => {
      const page = await site.open(t, `${site.url}?verbose`, {
        viewport: { width: 1280, height },
        newcomer: true,
      });
      await page.locator("tn-boot li[data-state=running]").first().waitFor();
      await page.locator("tn-ways").waitFor();
      const [card, ways, terminal] = await page.evaluate(() =>
        [
          document.querySelector("tn-boot").shadowRoot.querySelector(".boot"),
          document.querySelector("tn-journey").shadowRoot.querySelector("tn-ways"),
          document.querySelector("tn-terminal"),
        ].map((one) => one.getBoundingClientRect()),
      );
      assert.ok(card.top >= ways.bottom, `${card.top} covers the ways in, to ${ways.bottom}`);
      assert.ok(card.bottom <= terminal.top, `${card.bottom} covers the terminal, ${terminal.top}`);
      await screenshot(page, `views-words-start-${height}`);
    });
  }

  test("over a view on a phone it says what is being done, and covers little", async (t) => {
    const page = await site.open(t, `${site.url}?verbose#/clusters`, PHONE);
    const running = page.locator("tn-boot li[data-state=running]");
    await running.first().waitFor();
    await page.locator("tn-clusters h2").first().waitFor();
    const card = await page.locator("tn-boot .boot").boundingBox();
    const view = await page.locator("tn-clusters").boundingBox();
    assert.ok(card.height * 5 < view.height, `${card.height} of ${view.height} px`);
    await screenshot(page, "views-words-start-over-phone");
  });

  test("says what is true then, and not what was before", async (t) => {
    const page = await site.visit(t);
    await page.getByRole("button", { name: /^ready in/ }).click();
    const words = await page.locator(".boot").innerText();
    assert.match(words, /Nothing was installed/);
    assert.doesNotMatch(words, /already/);
  });

  test("a dear connection loads nothing before somebody has agreed to its size", async (t) => {
    const asked = [];
    const init = () =>
      Object.defineProperty(Navigator.prototype, "connection", { value: { saveData: true } });
    const context = await site.browser.newContext(PHONE);
    t.after(() => context.close());
    const page = await context.newPage();
    await page.addInitScript(init);
    page.on("worker", () => asked.push("worker"));
    const manifest = {
      wasm: { url: "t.wasm", size: 242e6, br: 30_700_000 },
      exec: { url: "e.js" },
    };
    await page.route("**/assets/manifest.json", (route) => route.fulfill({ json: manifest }));
    await page.goto(site.url);
    const load = page.getByRole("button", { name: "Download 30.7 MB" });
    await load.waitFor();
    await screenshot(page, "views-words-size-phone");
    assert.deepEqual(asked, []);
    await load.click();
    await ready(page);
    assert.deepEqual(asked, ["worker"]);
    // Once it has run here the browser may have kept it.
    await page.locator(".boot").waitFor({ state: "detached" });
    await page.reload();
    await ready(page);
  });
});

test("the title says what is looked at and how the cluster is", async (t) => {
  const page = await site.open(t, `${site.url}?verbose`);
  assert.equal(await page.title(), "starting · Tabernetes");
  await ready(page);
  const titled = (title) =>
    until(
      page,
      (now) => now === title,
      () => page.title(),
    );
  await titled("Tabernetes");
  await page.getByRole("link", { name: "Nodes" }).click();
  await titled("Nodes · Tabernetes");
  await page.evaluate(() => globalThis.tabernetes.kubectl("create deployment web --image=missing"));
  await titled("Nodes · 1 failing · Tabernetes");
  await page.getByRole("link", { name: "Map" }).click();
  await page.locator("tn-map button.pod").click();
  await until(
    page,
    (now) => /^pod\/web-\S+ · 1 failing · Tabernetes$/.test(now),
    () => page.title(),
  );
});

describe("an address", () => {
  test("of no view says so, and does not show another one instead", async (t) => {
    const page = await site.visit(t, "nonsense");
    await page.getByText("This page has no view called nonsense").waitFor();
    assert.equal(await page.locator("tn-map").count(), 0);
    await screenshot(page, "views-words-nonsense-desktop");
    await page.locator("tn-stage").getByRole("link", { name: "Map" }).last().click();
    await page.locator("tn-map .column").first().waitFor();
    assert.equal(await page.getByText("This page has no view").count(), 0);
    await page.evaluate(() => (location.hash = `#/${"<b>long</b>".repeat(500)}`));
    const words = page.locator("tn-stage [role=alert]");
    await words.waitFor();
    assert.equal(await words.locator("b").count(), 0);
    assert.ok((await words.innerText()).length < 300);
  });

  test("of a kind in a person's words leads to its objects, or says that there is none", async (t) => {
    const page = await site.visit(t, "objects/po");
    await until(
      page,
      (hash) => hash === "#/api/v1/pods",
      () => page.evaluate(() => location.hash),
    );
    await page.evaluate(() => (location.hash = "#/objects/nothings"));
    await page.getByText("The API serves nothing called nothings").waitFor();
  });

  test("of an object that is not there says so, clear of the panel's edge", async (t) => {
    const page = await site.visit(t, "api/v1/namespaces/default/pods/none");
    const words = page.getByText("There is no such object");
    await words.waitFor();
    const left = await words.evaluate((p) => {
      const range = document.createRange();
      range.selectNodeContents(p);
      const panel = p.getRootNode().host.getBoundingClientRect();
      return range.getBoundingClientRect().left - panel.left;
    });
    assert.ok(left >= 12, `${left} px from the edge`);
  });
});

describe("what to try", () => {
  const CREATE = "kubectl create deployment nginx --image=nginx --replicas=3";

  test("is offered in one place, and is another thing once it has been done", async (t) => {
    const page = await site.visit(t);
    const inspector = page.locator("tn-inspector");
    await inspector.getByText("kubectl get nodes -o wide").waitFor();
    assert.equal(await page.locator("tn-map .command", { hasText: CREATE }).count(), 1);
    assert.equal(await inspector.getByText(CREATE).count(), 0);
    assert.ok(
      !(await page.locator("tn-terminal").evaluate((view) => view.text())).includes("create"),
    );
    await screenshot(page, "views-words-try-desktop");
    await page.evaluate((line) => globalThis.tabernetes.kubectl(line), CREATE);
    await inspector.getByText("kubectl scale deployment/nginx --replicas=6").waitFor();
    assert.equal(await inspector.getByText(CREATE).count(), 0);
    // What was done is ticked by what the cluster shows, and stays so.
    const done = inspector.getByRole("list", { name: "Done" });
    await done.getByText("Created nginx: all of its pods were ready").waitFor();
    assert.equal(await done.getByRole("listitem").count(), 1);
    await screenshot(page, "views-words-done-desktop");
  });

  test("on a phone the terminal says it", async (t) => {
    const page = await site.visit(t, "", PHONE);
    const text = await page.locator("tn-terminal").evaluate((view) => view.text());
    // Where it has no room in one line it is broken as a shell takes it.
    assert.match(text.replaceAll(/\\?\n\s*/g, ""), new RegExp(CREATE));
  });

  test("the legend of pods stands beside the map, and beside the journey with its ticks and lines", async (t) => {
    const page = await site.visit(t);
    const legend = page.locator("tn-inspector .legend");
    await legend.waitFor();
    for (const name of ["Objects", "Editor", "Settings"]) {
      await page.getByRole("link", { name, exact: true }).click();
      await legend.waitFor({ state: "detached" });
    }
    for (const [name, title, marks] of [
      ["Map", "Pods in the map", 0],
      ["Journey", "Pods", 4],
    ]) {
      await page.getByRole("link", { name, exact: true }).click();
      // The one before may still stand there.
      await page.getByRole("heading", { name: title, exact: true }).waitFor();
      await legend.waitFor();
      assert.equal(await legend.locator(".tick").count(), marks);
    }
    await screenshot(page, "views-words-legend-desktop");
  });
});

test("Review of what the server would refuse says why, and goes there", async (t) => {
  const page = await site.visit(t, "editor");
  const content = page.locator("tn-editor .cm-content").first();
  await content.click();
  await content.evaluate((element) => element.focus());
  await page.keyboard.insertText(
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nwrong: true\n",
  );
  await page.locator("tn-editor .finding").waitFor();
  await page.locator("tn-editor").getByRole("button", { name: "Review" }).click();
  const told = page.locator("tn-told p");
  await told.waitFor();
  assert.match(await told.innerText(), /^Nothing to review: the server would refuse it\. .*wrong/);
  await screenshot(page, "views-words-review-desktop");
});

test("a tab that the browser had discarded says so, and what became of its cluster", async (t) => {
  for (const [settings, says] of [
    [{}, /ended this tab to save memory, and with it the cluster that was here/],
    [{ keep: true, cluster: "lab" }, /lab goes on from what was kept of it/],
  ]) {
    const said = JSON.stringify({ intro: false, ...settings });
    const page = await site.open(t, site.url, DESKTOP, {
      content: `Object.defineProperty(document, "wasDiscarded", { value: true });
        localStorage["tabernetes.settings"] = ${JSON.stringify(said)};`,
    });
    await page.locator("tn-told").getByText(says).waitFor();
  }
});

test("what loses something looks another way than what makes something", async (t) => {
  const page = await site.visit(t);
  await page.evaluate(() => globalThis.tabernetes.kubectl("create deployment web --image=nginx"));
  await page.locator("tn-map button.pod").click();
  await page.locator("tn-inspector").getByRole("button", { name: "Delete", exact: true }).click();
  const verb = page.locator("dialog.ask button.primary");
  await verb.waitFor();
  const [lost, made] = await verb.evaluate((button) => {
    const probe = document.createElement("i");
    document.body.append(probe);
    const colour = (name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const now = getComputedStyle(button).backgroundColor;
    return [now === colour("--failing"), now === colour("--accent")];
  });
  assert.deepEqual([lost, made], [true, false]);
  await screenshot(page, "views-words-delete-desktop");
});
