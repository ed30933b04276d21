/*
 * A command as the journey tells it: as it happens, and slowly, step by step.
 * Over the fake worker, which tells a small trace (web/dev/fake-trace.ts).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, screenshot } from "./browser.mjs";
import { CREATE, journeysOf, kubectl } from "./journeys.mjs";
import { settled } from "./look.mjs";
import { over } from "./visits.mjs";

const DEVICES = { desktop: DESKTOP, phone: PHONE };

const site = over("out/site-fake");
const journeyOf = journeysOf(site);

test("the journey: slowly, forwards and backwards, and the guide follows", async (t) => {
  const page = await site.visit(t, "journey");
  const journey = page.locator("tn-journey");
  await journey.getByText("Run a command in the terminal").waitFor();
  await kubectl(page, CREATE);
  const happened = page.locator("tn-happened button", { hasText: "3 started" });
  await happened.first().waitFor({ state: "attached" });
  // Every node has its pod of this command, started.
  await journey.locator("rect.pod[data-started]").nth(2).waitFor();
  assert.equal(await journey.locator("rect.pod").count(), 3);
  await journey.getByRole("button", { name: "Slowly" }).click();
  await journey.getByRole("button", { name: "Go on" }).waitFor();
  const at = journey.getByRole("slider", { name: "Step of the command" });
  await at.fill("0");
  await journey.locator(".said", { hasText: CREATE }).waitFor();
  assert.equal(await journey.locator("rect.pod").count(), 0);
  await journey.getByRole("button", { name: "One step on" }).click();
  await journey.locator(".at", { hasText: /^2 of / }).waitFor();
  await journey.getByRole("button", { name: "One step back" }).click();
  await journey.locator(".at", { hasText: /^1 of / }).waitFor();
  const last = Number(await at.getAttribute("max"));
  const guide = page.locator("tn-guide");
  const chapters = new Set();
  for (let i = 0; i <= last; i++) {
    await at.fill(String(i));
    await settled(page);
    chapters.add(await guide.locator("h3[data-open]").getAttribute("data-name"));
  }
  for (const name of ["kubectl", "authentication", "etcd", "controllers", "scheduler", "cri"]) {
    assert.ok(chapters.has(name), name);
  }
  // The step itself is a click away, and the drawing can be read as words.
  assert.match(
    await journey.locator(".stage > svg").getAttribute("aria-label"),
    /node-1: 1 of 1 pods started/,
  );
  await journey.locator("circle.dot, text.failed").first().click();
  await page.waitForURL(/#\/trace$/);
});

test("what happens moves in the journey, a dozen at most; still, when motion is not wanted", async (t) => {
  for (const reducedMotion of ["no-preference", "reduce"]) {
    const page = await site.visit(t, "journey", { ...DESKTOP, reducedMotion });
    const journey = page.locator("tn-journey");
    await journey.locator("svg").waitFor();
    const most = await page.evaluate(async () => {
      const root = document.querySelector("tn-journey").shadowRoot;
      let most = 0;
      const seen = new MutationObserver(() => {
        most = Math.max(most, root.querySelectorAll(".moving .dot").length);
      });
      seen.observe(root, { childList: true, subtree: true });
      await globalThis.tabernetes.kubectl("create deployment many --replicas=30");
      const done = () => root.querySelectorAll("rect.pod[data-started]").length === 30;
      while (!done()) await new Promise((resolve) => requestAnimationFrame(resolve));
      seen.disconnect();
      return most;
    });
    if (reducedMotion === "reduce") assert.equal(most, 0);
    else assert.ok(most > 0 && most <= 12, `${most} things moved at once`);
    await journey.locator(".at", { hasText: /steps/ }).waitFor();
    if (reducedMotion === "reduce") continue;
    // What was not drawn is said, and a press leads to the first of it.
    const undrawn = journey.getByRole("button", { name: /^Not drawn/ });
    assert.match(await undrawn.innerText(), /^Not drawn: \d+ (requests?|watch events?|steps?)/);
    await screenshot(page, "journey-undrawn-desktop");
    await undrawn.click();
    await page.waitForURL(/#\/trace$/);
    await page.locator('tn-trace [role=treeitem][aria-selected="true"]').waitFor();
  }
});

for (const reducedMotion of ["no-preference", "reduce"]) {
  test(`slowly, it stops where a chapter begins, and goes on by the keyboard: motion ${reducedMotion}`, async (t) => {
    const { page, journey } = await journeyOf(t, { ...DESKTOP, reducedMotion });
    await page.clock.install();
    await journey.getByRole("button", { name: "Slowly" }).click();
    const goOn = journey.getByRole("button", { name: "Go on" });
    await goOn.focus();
    const guide = page.locator("tn-guide");
    const open = guide.locator("h3[data-open]");
    const titles = [];
    const last = journey.getByText("This was the last step.");
    while ((await last.count()) === 0) {
      await goOn.waitFor();
      const said = await journey.getByRole("status").innerText();
      const [, title] = /^Now: (.+)\. Read, then go on\.$/.exec(said);
      titles.push(title);
      await open.locator(".name", { hasText: title }).waitFor();
      // The chapter is read from its beginning, whichever of its claims the step is told of.
      const begins = await guide.locator("article").evaluate((article) => {
        const { bottom } = article.previousElementSibling.getBoundingClientRect();
        return Math.abs(article.getBoundingClientRect().top - bottom) < 2;
      });
      assert.ok(begins, `${title} stands in its middle`);
      // It waits for as long as the reader takes.
      const at = await journey.locator(".at").innerText();
      await page.clock.runFor(600_000);
      assert.equal(await journey.locator(".at").innerText(), at);
      await page.keyboard.press("Enter");
      await page.clock.runFor(300_000);
      await goOn.or(last).first().waitFor();
    }
    assert.deepEqual(titles, [
      "kubectl",
      "Authentication",
      "Authorization",
      "Admission",
      "etcd",
      "Controllers",
      "Scheduler",
      "kubelet",
      "CRI",
      "Container startup",
    ]);
    await open.locator(".name", { hasText: "Wrap-up" }).waitFor();
  });
}

test("slowly, a controller's own request turns no page back, but lights the heading", async (t) => {
  const { page, journey } = await journeyOf(t, DESKTOP);
  await journey.getByRole("button", { name: "Slowly" }).click();
  const at = journey.getByRole("slider", { name: "Step of the command" });
  const guide = page.locator("tn-guide");
  const last = Number(await at.getAttribute("max"));
  const turned = [];
  let lit = 0;
  for (let i = 0; i <= last; i++) {
    await at.fill(String(i));
    await settled(page);
    const open = await guide.locator("h3[data-open]").getAttribute("data-name");
    if (turned.at(-1) !== open) turned.push(open);
    lit += await guide.locator('h3[data-name="authentication"][data-now]:not([data-open])').count();
  }
  assert.equal(new Set(turned).size, turned.length, turned.join(" "));
  assert.ok(lit > 0, "a controller was authenticated, too");
});

test("slowly without stops it goes to its end; who reads in the guide has it wait", async (t) => {
  const { page, journey } = await journeyOf(t, DESKTOP);
  await page.clock.install();
  await journey.getByRole("button", { name: "Slowly" }).click();
  await journey.getByRole("button", { name: "Go on" }).click();
  await journey.getByRole("button", { name: "Pause" }).waitFor();
  await page.locator("tn-guide .scroll").hover();
  await page.mouse.wheel(0, 200);
  await journey.getByText("It waits while you read.").waitFor();
  const at = await journey.locator(".at").innerText();
  await page.clock.runFor(600_000);
  assert.equal(await journey.locator(".at").innerText(), at);
  await screenshot(page, "journey-waits-desktop");
  // A switch that is on is seen to be, and plays nothing by itself.
  for (const name of ["Without stops", "Every step"]) {
    const button = journey.getByRole("button", { name });
    const box = () => button.boundingBox();
    const ground = () => button.evaluate((one) => getComputedStyle(one).backgroundColor);
    const before = [await box(), await ground()];
    assert.equal(await button.getByText("✓").isVisible(), false);
    await button.click();
    await button.getByText("✓").waitFor();
    await page.mouse.move(0, 0);
    assert.deepEqual(await box(), before[0]);
    assert.notEqual(await ground(), before[1]);
  }
  await journey.getByRole("button", { name: "Every step" }).click();
  await journey.getByText("It waits while you read.").waitFor();
  await journey.getByRole("button", { name: "Go on" }).click();
  await page.clock.runFor(600_000);
  await journey.getByText("This was the last step.").waitFor();
});

for (const [device, options] of Object.entries(DEVICES)) {
  test(`slowly, what is typed meanwhile is said, and told from its beginning when asked for: ${device}`, async (t) => {
    const { page, journey } = await journeyOf(t, options);
    await journey.getByRole("button", { name: "Slowly" }).click();
    await journey.getByRole("button", { name: "Go on" }).waitFor();
    const at = journey.getByRole("slider", { name: "Step of the command" });
    const tall = async () => (await journey.locator(".bar").boundingBox()).height;
    const before = await tall();
    await kubectl(page, "create deployment other --image=nginx --replicas=1");
    const tell = journey.getByRole("button", {
      name: /^Tell instead: kubectl create deployment other/,
    });
    await tell.waitFor();
    await journey.locator(".said", { hasText: "create deployment nginx" }).waitFor();
    const box = async () => JSON.stringify(await tell.boundingBox());
    const stood = await box();
    // Where the terminal is another pane nobody sees the row become higher.
    if (device === "desktop") assert.equal(await tall(), before);
    assert.equal(await journey.locator(".tell.primary").count(), 0);
    await at.fill(await at.getAttribute("max"));
    await journey.locator(".tell.primary").waitFor();
    if (device === "phone") assert.equal(await box(), stood);
    await screenshot(page, `journey-since-${device}`);
    await tell.click();
    await journey.locator(".at", { hasText: /^1 of / }).waitFor();
    await journey.locator(".said", { hasText: "create deployment other" }).waitFor();
    // As by the button: its first chapter is read, and then it goes on.
    await journey.getByText("Read, then go on.").waitFor();
    await journey.locator(".play.primary", { hasText: "Go on" }).waitFor();
    assert.equal(await tell.count(), 0);
  });
}

for (const [device, options] of Object.entries(DEVICES)) {
  test(`the last step leads on: to what is next, to what there is to break, to a command of one's own: ${device}`, async (t) => {
    const { page, journey } = await journeyOf(t, options);
    await journey.getByRole("button", { name: "Slowly" }).click();
    const at = journey.getByRole("slider", { name: "Step of the command" });
    const next = journey.getByRole("group", { name: "What next" });
    const tall = async () => (await journey.locator(".bar").boundingBox()).height;
    await journey.getByText("Now: kubectl. Read, then go on.").waitFor();
    const before = await tall();
    assert.equal(await next.count(), 0);
    await at.fill(await at.getAttribute("max"));
    await next.locator(".primary", { hasText: "What next" }).waitFor();
    await journey.locator(".play.button", { hasText: "Again" }).waitFor();
    assert.equal(await tall(), before);
    assert.deepEqual(await violations(page), []);
    await screenshot(page, `journey-ended-${device}`);
    await next.getByRole("button", { name: "What next" }).click();
    await page.locator("tn-guide h4#what-next:focus").waitFor();
    const back = page.locator("tn-panes").getByRole("button", { name: "Journey" });
    if (device === "phone") await back.tap();
    // On a phone the terminal is in the bar.
    else {
      await next.getByRole("button", { name: "Type your own" }).click();
      await page.locator("tn-terminal textarea:focus").waitFor();
    }
    await next.getByRole("button", { name: "Break something" }).click();
    await page.waitForURL(/#\/break/);
  });
}

test("slowly, a command that is chosen from a list begins as the first one did, in the guide as well", async (t) => {
  const { page, journey } = await journeyOf(t, DESKTOP);
  const guide = page.locator("tn-guide");
  const at = journey.getByRole("slider", { name: "Step of the command" });
  const lists = {
    journey: guide.getByLabel("Told now"),
    trace: page.locator("tn-trace select").first(),
  };
  await kubectl(page, "create deployment other --image=nginx --replicas=1");
  await journey.locator("rect.pod[data-started]").nth(3).waitFor();
  await journey.getByRole("button", { name: "Slowly" }).click();
  for (const [view, line] of [
    ["journey", CREATE],
    ["trace", "create deployment other"],
  ]) {
    // Wherever the reader is, in the story and in the text.
    await at.fill(await at.getAttribute("max"));
    await journey.getByText("This was the last step.").waitFor();
    await guide.locator("h3[data-name='scheduler'] button").click();
    await guide.locator("h3[data-name='scheduler'][data-open]").waitFor();
    await page.evaluate((hash) => (globalThis.location.hash = hash), `#/${view}`);
    const option = lists[view].locator("option", { hasText: line });
    await lists[view].selectOption(await option.getAttribute("value"));
    await page.evaluate(() => (globalThis.location.hash = "#/journey"));
    await journey.locator(".said", { hasText: line }).waitFor();
    await journey.locator(".at", { hasText: /^1 of / }).waitFor();
    await journey.getByText("Now: kubectl. Read, then go on.").waitFor();
    await journey.locator(".play.primary", { hasText: "Go on" }).waitFor();
    await guide.locator("h3[data-name='kubectl'][data-open]").waitFor();
    await guide.locator(".of b", { hasText: line }).waitFor();
  }
});

test("on a phone, what is chosen in the guide begins in the journey, which is behind it", async (t) => {
  const { page, journey } = await journeyOf(t, PHONE);
  const bar = page.locator("tn-panes");
  const guide = page.locator("tn-guide");
  const at = journey.getByRole("slider", { name: "Step of the command" });
  await journey.getByRole("button", { name: "Slowly" }).click();
  await at.fill(await at.getAttribute("max"));
  await journey.getByText("This was the last step.").waitFor();
  await bar.getByRole("button", { name: "Guide" }).tap();
  const other = "kubectl create deployment other --image=nginx --replicas=1";
  await kubectl(page, other.replace("kubectl ", ""));
  await guide.getByRole("button", { name: `Tell instead: ${other}` }).tap();
  await guide.locator(".onward").getByText("Now: kubectl. Read, then go on.").waitFor();
  await bar.getByRole("button", { name: "Journey" }).tap();
  await journey.locator(".said", { hasText: other }).waitFor();
  await journey.locator(".at", { hasText: /^1 of / }).waitFor();
  await journey.locator(".play.primary", { hasText: "Go on" }).waitFor();
  // And the guide has not gone back to the one before.
  await bar.getByRole("button", { name: "Guide" }).tap();
  await guide.locator(".of b", { hasText: other }).waitFor();
  await guide.locator("h3[data-name='kubectl'][data-open]").waitFor();
});

test("on a phone, the terminal's line has its command told slowly: one that was opened or not", async (t) => {
  const page = await site.visit(t, "map", PHONE);
  const bar = page.locator("tn-panes");
  const journey = page.locator("tn-journey");
  const guide = page.locator("tn-guide");
  for (const name of ["nginx", "other"]) {
    await bar.getByRole("button", { name: "Terminal" }).tap();
    const line = `create deployment ${name} --image=nginx --replicas=1`;
    await kubectl(page, line);
    const tell = page.getByRole("button", { name: `Tell it slowly: kubectl ${line}` });
    // What goes on behind it fades.
    const parts = page.locator("tn-happened .parts").first();
    const fades = () => parts.evaluate((one) => getComputedStyle(one).maskImage);
    assert.match(await fades(), /gradient/);
    await tell.tap();
    await journey.locator(".said", { hasText: line }).waitFor();
    await journey.locator(".at", { hasText: /^1 of / }).waitFor();
    await journey.getByText("Now: kubectl. Read, then go on.").waitFor();
    await bar.getByRole("button", { name: "Guide" }).tap();
    await guide.locator(".of b", { hasText: line }).waitFor();
    await guide.locator("h3[data-name='kubectl'][data-open]").waitFor();
    await screenshot(page, `journey-from-terminal-${name}-phone`);
  }
});

for (const reducedMotion of ["no-preference", "reduce"]) {
  test(`slowly on a phone, where it happens and what grows are in sight, and what goes on too: motion ${reducedMotion}`, async (t) => {
    const { page, journey } = await journeyOf(t, { ...PHONE, reducedMotion, newcomer: true });
    await journey.getByRole("button", { name: "Slowly" }).click();
    // What draws it is fetched then.
    await journey.locator("tn-growth").waitFor({ state: "attached" });
    const at = journey.getByRole("slider", { name: "Step of the command" });
    const last = Number(await at.getAttribute("max"));
    const places = new Set();
    const stood = new Set();
    for (let i = 0; i <= last; i++) {
      await at.fill(String(i));
      await journey.locator(".at", { hasText: new RegExp(`^${i + 1} of `) }).waitFor();
      await page.waitForFunction(() => {
        const root = document.querySelector("tn-journey").shadowRoot;
        const rect = (name) => root.querySelector(name).getBoundingClientRect();
        const [bar, here, caption] = [".bar", "[data-here]", ".caption"].map(rect);
        // The object that grows stays between the two, however far down the drawing it happens.
        const grows = rect("tn-growth");
        const top = bar.bottom + grows.height;
        const grown = grows.height === 0 || Math.abs(grows.top - bar.bottom) < 2;
        return grown && bar.top >= 0 && here.top >= top - 2 && here.bottom <= caption.top;
      });
      places.add(await journey.locator("[data-here] text").first().textContent());
      stood.add(JSON.stringify(await journey.locator(".stage > svg").boundingBox()));
    }
    assert.equal(stood.size, 1, `the drawing moves: ${[...stood].join(" ")}`);
    assert.ok(await journey.locator("tn-growth").isVisible());
    for (const name of ["kubectl", "etcd", "deployment", "kube-scheduler", "node-3"]) {
      assert.ok(places.has(name), `${name} of ${[...places].join(", ")}`);
    }
    await screenshot(page, `journey-slowly-phone-${reducedMotion}`);
    // Folded, it leaves its room to the drawing.
    const [svg, fold] = [journey.locator(".stage > svg"), journey.locator("tn-growth .fold")];
    const { height } = await svg.boundingBox();
    assert.ok((await fold.boundingBox()).height >= 44);
    await fold.tap();
    await journey.locator("tn-growth[folded]").waitFor();
    assert.equal(await journey.locator("tn-growth .body").isVisible(), false);
    assert.ok((await svg.boundingBox()).height > height + 60);
    assert.deepEqual(await violations(page), []);
    await screenshot(page, `journey-folded-phone-${reducedMotion}`);
    await fold.press("Enter");
    await journey.locator("tn-growth:not([folded]) .body").waitFor();
  });
}

test("as it happens again, a small phone shows the journey from its top, with the ways in", async (t) => {
  const { page, journey } = await journeyOf(t, {
    ...PHONE,
    viewport: { width: 360, height: 560 },
    newcomer: true,
  });
  await journey.getByRole("button", { name: "Slowly" }).click();
  const at = journey.getByRole("slider", { name: "Step of the command" });
  await at.fill(await at.getAttribute("max"));
  await page.waitForFunction(() => document.querySelector("tn-journey").scrollTop > 40);
  await journey.getByRole("button", { name: "As it happens" }).click();
  await journey.getByRole("button", { name: "Slowly" }).waitFor();
  await settled(page);
  const top = () => journey.evaluate((view) => view.scrollTop);
  assert.equal(await top(), 0);
  const [ways, view] = [await page.locator("tn-ways").boundingBox(), await journey.boundingBox()];
  assert.ok(ways.y >= view.y, JSON.stringify({ ways, view }));
  await screenshot(page, "journey-left-phone");
});

test("slowly on a phone that lies, the object that grows leaves the drawing its room", async (t) => {
  const { page, journey } = await journeyOf(t, {
    ...PHONE,
    viewport: { width: 667, height: 375 },
    newcomer: true,
  });
  await journey.getByRole("button", { name: "Slowly" }).click();
  const at = journey.getByRole("slider", { name: "Step of the command" });
  await at.fill(await at.getAttribute("max"));
  await journey.locator("tn-growth").waitFor();
  const left = await journey.evaluate((view) => {
    view.scrollTop = view.scrollHeight;
    const rect = (name) => view.shadowRoot.querySelector(name).getBoundingClientRect();
    return rect("tn-growth").bottom - rect(".bar").bottom;
  });
  assert.ok(left <= 1, `${left} px of the object are left`);
  await screenshot(page, "journey-slowly-phone-lies");
});

test("a command that writes nothing has a pane all the same: what each step knows", async (t) => {
  const page = await site.visit(t, "journey", PHONE);
  await kubectl(page, "get pods");
  const journey = page.locator("tn-journey");
  await journey.getByRole("button", { name: "Slowly" }).click();
  const pane = journey.locator("tn-growth");
  await pane.getByRole("region", { name: "This step", exact: true }).waitFor();
  await pane.getByText("line: kubectl get pods").waitFor();
  await settled(page);
  const [bar, grows, stage] = await Promise.all(
    [".bar", "tn-growth", ".stage"].map((name) => journey.locator(name).boundingBox()),
  );
  const parts = JSON.stringify({ bar, grows, stage });
  assert.ok(grows.y - bar.y - bar.height < 2 && stage.y - grows.y - grows.height < 2, parts);
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "journey-step-phone");
});
