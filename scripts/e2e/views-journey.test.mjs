/*
 * The journey as it is seen: who is joined with whom, what stands in it, and what opens.
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

for (const [device, options] of Object.entries(DEVICES)) {
  test(`one line leads to etcd, from kube-apiserver, and a revision goes through its watch cache: ${device}`, async (t) => {
    const { page, journey } = await journeyOf(t, options);
    /** Boxes and the server's frame, by name, with the lines' ends that lie at each. */
    const ends = await journey.evaluate((element) => {
      const root = element.shadowRoot;
      const lines = [...root.querySelectorAll("polyline.way")].map((line) => [...line.points]);
      const found = {};
      for (const box of root.querySelectorAll("rect.box")) {
        const { x, y, width, height } = box.getBBox();
        const at = ({ x: px, y: py }) => px >= x && px <= x + width && py >= y && py <= y + height;
        const places = lines.flatMap((points) => [points[0], points.at(-1)]).filter(at);
        const name = box.parentElement.querySelector("text").textContent;
        found[name] = [...new Set(places.map(({ x: px, y: py }) => `${px},${py}`))].length;
      }
      return found;
    });
    assert.deepEqual([...new Set(Object.values(ends))], [1], JSON.stringify(ends));
    await journey.getByRole("button", { name: "Slowly" }).click();
    await journey.getByRole("button", { name: "Go on" }).waitFor();
    const at = journey.getByRole("slider", { name: "Step of the command" });
    const told = journey.locator(".said", { hasText: "told the watch of" });
    const last = Number(await at.getAttribute("max"));
    for (let i = 0; (await told.count()) === 0; i++) {
      assert.ok(i <= last, "no step tells a watch");
      await at.fill(String(i));
      await settled(page);
    }
    await journey.locator("g[data-lit] text", { hasText: /^watch cache$/ }).waitFor();
    await screenshot(page, `journey-watched-${device}`);
    // A word of the trade can be pressed for what it means.
    await told.getByRole("button", { name: "watch", exact: true }).click();
    const note = journey.getByRole("dialog", { name: "watch", exact: true });
    await note.getByText("A request that stays open").waitFor();
    await page.keyboard.press("Escape");
    await note.waitFor({ state: "hidden" });
  });
}

for (const [device, options] of Object.entries(DEVICES)) {
  test(`controllers keep their places, in the frame of kube-controller-manager: ${device}`, async (t) => {
    const { page, journey } = await journeyOf(t, options);
    const places = () =>
      journey.evaluate(({ shadowRoot }) => {
        const named = (name) => shadowRoot.querySelector(`g[aria-label="${name}"]`);
        const { x, y } = named("deployment controller").querySelector("rect").getBBox();
        const after = named("replicaset controller").querySelector("rect").getBBox();
        const frames = [...shadowRoot.querySelectorAll("rect.frame")].map((one) => one.getBBox());
        const isIn = frames.some(
          (frame) =>
            x > frame.x &&
            y > frame.y &&
            after.x + after.width < frame.x + frame.width &&
            frame.y > 200,
        );
        return {
          x,
          y,
          after: after.x,
          isIn,
          name: named("kube-controller-manager").textContent.trim(),
        };
      });
    const before = await places();
    assert.ok(before.isIn && before.x < before.after, JSON.stringify(before));
    assert.equal(before.name, "kube-controller-manager");
    await kubectl(page, "create deployment other --image=nginx --replicas=2");
    await journey.locator("rect.pod[data-started]").nth(4).waitFor();
    assert.deepEqual(await places(), before);
    await screenshot(page, `journey-manager-${device}`);
  });
}

for (const [device, options] of Object.entries(DEVICES)) {
  test(`the two numbers of its steps say what they count: ${device}`, async (t) => {
    const { page, journey } = await journeyOf(t, options);
    const words = /^(\d+) steps so far, (\d+) of them told slowly/;
    // As it happens the guide beside it counts all of them; what is counted here is told to be something else.
    await journey.locator(".at", { hasText: /^\d+ steps to tell slowly so far/ }).waitFor();
    assert.match(await journey.locator(".at").getAttribute("title"), words);
    await screenshot(page, `journey-counted-${device}`);
    await journey.getByRole("button", { name: "Slowly" }).click();
    await journey.locator(".at", { hasText: "1 of " }).waitFor();
    const counted = () =>
      journey.evaluate(({ shadowRoot }) => {
        const at = shadowRoot.querySelector(".at");
        return { text: at.textContent, title: at.title };
      });
    const { text, title } = await counted();
    const [, all, slowly] = words.exec(title);
    assert.match(text, new RegExp(`^1 of ${slowly} `));
    await journey.getByRole("button", { name: "Every step" }).click();
    await journey.locator(".at", { hasText: ` of ${all} ` }).waitFor();
    await screenshot(page, `journey-every-${device}`);
  });
}

test("in a high room the drawing is slowly as wide as it is as it happens, and stays while an object grows below it", async (t) => {
  const { page, journey } = await journeyOf(t, {
    ...DESKTOP,
    viewport: { width: 1440, height: 1060 },
  });
  const node = async () => {
    const { x, y, width } = await journey
      .locator("svg text", { hasText: /^node-2$/ })
      .boundingBox();
    return { x, y, width };
  };
  const live = await node();
  await journey.getByRole("button", { name: "Slowly" }).click();
  await journey.locator("tn-growth").waitFor();
  const at = journey.getByRole("slider", { name: "Step of the command" });
  const last = Number(await at.getAttribute("max"));
  const stood = new Set();
  for (let i = 0; i <= last; i += 3) {
    await at.fill(String(i));
    await settled(page);
    stood.add(JSON.stringify(await node()));
  }
  assert.equal(stood.size, 1, [...stood].join(" "));
  const slowly = await node();
  assert.ok(Math.abs(slowly.x - live.x) < 1 && Math.abs(slowly.width - live.width) < 1);
  // As it happens it stands in the middle of a room without an object.
  assert.ok(Math.abs(slowly.y - live.y) < 100, `${live.y} and ${slowly.y}`);
  // What does not fit goes on beside itself, and a wheel leads there.
  const scroll = journey.locator("tn-growth .scroll");
  const fits = await scroll.evaluate((box) => box.scrollHeight <= box.clientHeight + 1);
  assert.ok(fits, "it goes on below itself");
  await scroll.evaluate((box) => (box.scrollLeft = 0));
  await scroll.hover();
  await page.mouse.wheel(0, 200);
  await page.waitForFunction(() => {
    const { shadowRoot } = document.querySelector("tn-journey");
    return shadowRoot.querySelector("tn-growth").shadowRoot.querySelector(".scroll").scrollLeft > 0;
  });
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "journey-slowly-desktop");
  // Where only a few lines would be left for it, the object stands beside the drawing.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.waitForFunction(() => {
    const { shadowRoot } = document.querySelector("tn-journey");
    const [drawing, object] = [".stage", "tn-growth"].map((part) =>
      shadowRoot.querySelector(part).getBoundingClientRect(),
    );
    return object.left >= drawing.right - 1 && object.height > 300;
  });
  await screenshot(page, "journey-slowly-beside-desktop");
});

for (const [device, options] of Object.entries(DEVICES)) {
  test(`of three pods one is told, and of ten requests one in full, which is said: ${device}`, async (t) => {
    const { page, journey } = await journeyOf(t, options);
    const stands = journey.locator(".caption .stands");
    assert.equal(await stands.count(), 0);
    await journey.getByRole("button", { name: "Slowly" }).click();
    const at = journey.getByRole("slider", { name: "Step of the command" });
    const last = Number(await at.getAttribute("max"));
    const said = [];
    for (let i = 0; i <= last; i++) {
      await at.fill(String(i));
      await settled(page);
      if ((await stands.count()) === 0) continue;
      said.push(await stands.innerText());
      await screenshot(page, `journey-stands-${device}`);
    }
    const many = said.filter((line) => line.includes("go the same way"));
    assert.equal(many.length, 1, said.join(" "));
    assert.match(many[0], /^Of 3 pods this one is told: the others go the same way\./);
    const again = said.filter((line) =>
      line.endsWith("Authentication, authorization and admission: as before."),
    );
    assert.ok(again.length > 1, said.join(" "));
    // Where every step is told there is nothing to say.
    await at.fill("0");
    await journey.getByRole("button", { name: /^Every step/ }).click();
    assert.equal(await stands.count(), 0);
  });
}

test("a claim of the guide leads to its moment, and its text stays; Read it leads on from there", async (t) => {
  const page = await site.visit(t, "trace");
  await kubectl(page, CREATE);
  const guide = page.locator("tn-guide");
  await guide.locator('h3[data-name="wrap-up"] .dot[data-reached]').waitFor();
  await guide.locator('h3[data-name="wrap-up"] button').click();
  const open = (name) => guide.locator(`h3[data-name="${name}"][data-open]`);
  const bound = guide.locator(".claim[title$='(scheduler.bind)'] + .moment");
  await bound.click();
  const journey = page.locator("tn-journey");
  await journey.locator(".said", { hasText: / to be bound to node-/ }).waitFor();
  await journey.getByRole("status").filter({ hasText: "Now: Scheduler." }).waitFor();
  await open("wrap-up").waitFor();
  await screenshot(page, "journey-moment-desktop");
  await journey.getByRole("button", { name: "Read it" }).click();
  await open("scheduler").waitFor();
  // From a chapter to its own step and on: the guide follows.
  await guide.locator(".claim[title$='(scheduler.filter)'] + .moment").click();
  await journey.locator(".said", { hasText: "3 of 3 nodes" }).waitFor();
  await journey.getByRole("slider", { name: "Step of the command" }).fill("0");
  await open("kubectl").waitFor();
});

test("pods that are there stand in their nodes, whichever command is looked at", async (t) => {
  const { page, journey } = await journeyOf(t, DESKTOP);
  await kubectl(page, "create deployment other --image=nginx --replicas=24");
  const started = journey.locator("rect.pod[data-started]");
  await started.nth(26).waitFor();
  assert.equal(await started.count(), 27);
  // Slowly, the first three are there from the beginning, and the command's own come.
  await journey.getByRole("button", { name: "Slowly" }).click();
  await journey.getByRole("button", { name: "Go on" }).waitFor();
  const at = journey.getByRole("slider", { name: "Step of the command" });
  await at.fill("0");
  await journey.locator(".at", { hasText: /^1 of / }).waitFor();
  assert.equal(await started.count(), 3);
  // No more squares than have room; the rest is a number.
  await journey.getByRole("button", { name: "As it happens" }).click();
  await kubectl(page, "create deployment more --image=nginx --replicas=30");
  await journey
    .locator("svg text", { hasText: /^\+\d+$/ })
    .nth(2)
    .waitFor();
  await journey.getByRole("group", { name: /of 19 pods started/ }).waitFor();
  await settled(page);
  const within = await journey.evaluate((element) =>
    [...element.shadowRoot.querySelectorAll("g:has(> rect.pod)")].every((group) => {
      const edge = group.querySelector("rect.box").getBoundingClientRect().right;
      const inner = [...group.querySelectorAll("rect.pod, text")];
      return inner.every((one) => one.getBoundingClientRect().right <= edge);
    }),
  );
  assert.ok(within, "squares and their number are within their box");
  // Each has the mark that it has on the map, which is as big as what one points at.
  const marks = await journey
    .locator("svg .glyph")
    .evaluateAll((all) =>
      all.map((one) => `${one.dataset.state} ${one.getAttribute("width")} ${one.clientWidth < 40}`),
    );
  assert.deepEqual([...new Set(marks)], ["running 16 true"]);
  assert.equal(marks.length, await journey.locator("rect.pod[data-started]").count());
  await screenshot(page, "journey-many-desktop");
});

for (const [device, options] of Object.entries(DEVICES)) {
  test(`a number has its word, and goes away with what it was for: ${device}`, async (t) => {
    const { page, journey } = await journeyOf(t, options);
    const scores = journey.locator("svg text", { hasText: "score" });
    assert.equal(await scores.count(), 0, "all pods are placed");
    await journey.getByRole("button", { name: "Slowly" }).click();
    // Nobody has been asked yet: nothing is said to be whom it was.
    const by = journey.locator("g:has(> .station)", { hasText: "authentication" });
    assert.doesNotMatch(await by.innerHTML(), />\s*(?:anonymous|bearer token)\s*</);
    const at = journey.getByRole("slider", { name: "Step of the command" });
    const said = journey.locator(".said", { hasText: /^best: / });
    for (let i = 0; (await said.count()) === 0; i++) {
      await at.fill(String(i));
      await settled(page);
    }
    assert.deepEqual(
      (await scores.allTextContents()).map((text) => text.replace(/\d+.*/s, "")).sort(),
      ["score ", "score ", "▸ score "],
    );
    await screenshot(page, `journey-score-${device}`);
    await journey.getByRole("button", { name: "One step on" }).click();
    await journey.locator(".said", { hasText: / to be bound to node-/ }).waitFor();
    assert.equal(await scores.count(), 0);
  });
}

const opened = (page, place) =>
  page.waitForFunction((text) => globalThis.location.hash.includes(text), place);

test("a node and a pod of the drawing open, by a click and by the keyboard; etcd shows its last step", async (t) => {
  const { page, journey } = await journeyOf(t, DESKTOP);
  const hash = await page.evaluate(() => globalThis.location.hash);
  const opens = async (act, place) => {
    await act;
    await opened(page, place);
    await page.evaluate((old) => (globalThis.location.hash = old), hash);
    await page.waitForFunction((old) => globalThis.location.hash === old, hash);
  };
  const pod = journey.getByRole("button", { name: /^Open the pod default\/nginx-.*: Running/ });
  await opens(journey.locator("svg text", { hasText: /^node-2$/ }).click(), "node-2");
  await opens(journey.getByRole("button", { name: "Open node-2" }).press("Enter"), "node-2");
  await opens(pod.first().click(), "nginx-");
  await opens(pod.first().press("Enter"), "nginx-");
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "journey-opens-desktop");
  await journey.getByRole("button", { name: "Show the last step at etcd" }).press("Enter");
  await page.waitForURL(/#\/trace$/);
});

test("the drawing is one stop of Tab, and the arrow keys lead from part to part", async (t) => {
  const { page, journey } = await journeyOf(t, DESKTOP);
  const part = (name) => journey.getByRole("button", { name });
  const focused = (name) => part(name).and(journey.locator(":focus")).waitFor();
  await part("Open node-2").focus();
  // What is drawn anew leaves the focus and the stop where they are.
  await page.evaluate(() => globalThis.tabernetes.kubectl("create configmap beside"));
  await focused("Open node-2");
  assert.equal(await journey.locator("svg [role=button][tabindex='0']").count(), 1);
  await page.keyboard.press("ArrowLeft");
  await focused(/^Open the pod|^Open node-1$/);
  await page.keyboard.press("Home");
  await focused("Show the last step at kubectl");
  await page.keyboard.press("ArrowRight");
  await focused("Show the last step at authentication");
  await page.keyboard.press("Tab");
  assert.equal(await journey.locator("svg :focus").count(), 0);
  await page.keyboard.press("Shift+Tab");
  await focused("Show the last step at authentication");
  // From the frame, where a click leaves the focus, they lead in as well.
  await journey.locator(".stage").focus();
  await page.keyboard.press("ArrowRight");
  await focused("Show the last step at authentication");
});

test("a refusal is drawn where it is told, and not before", async (t) => {
  const { page, journey } = await journeyOf(t, DESKTOP);
  await page.evaluate(() =>
    globalThis.tabernetes.kubectl("create deployment lost --image=nginx --namespace=nowhere"),
  );
  await journey.locator(".refused").waitFor();
  await journey.getByRole("button", { name: "Slowly" }).click();
  const at = journey.getByRole("slider", { name: "Step of the command" });
  const last = Number(await at.getAttribute("max"));
  let drawn = false;
  for (let i = 0; i <= last; i++) {
    await at.fill(String(i));
    await settled(page);
    drawn ||= /refused/.test(await journey.locator(".caption .said").innerText());
    assert.equal(await journey.locator(".refused").count(), drawn ? 1 : 0, `step ${i}`);
  }
  assert.ok(drawn);
});

test("a pod of the drawing opens on a phone", async (t) => {
  const { page, journey } = await journeyOf(t, PHONE);
  assert.deepEqual(await violations(page), []);
  // The guide, which has the command at its top, is another pane here.
  await journey.locator(".caption").getByText("of kubectl create deployment nginx").waitFor();
  await screenshot(page, "journey-command-phone");
  await journey
    .getByRole("button", { name: /^Open the pod default\/nginx-/ })
    .first()
    .click();
  await opened(page, "nginx-");
});

test("whoever goes to the terminal of a phone comes back to the journey, which is in the bar then", async (t) => {
  const { page, journey } = await journeyOf(t, PHONE);
  const bar = page.locator("tn-panes");
  await bar.getByRole("button", { name: "Terminal" }).click();
  await journey.waitFor({ state: "hidden" });
  assert.equal(await bar.getByRole("button", { name: "Map" }).count(), 0);
  await bar.getByRole("button", { name: "Journey" }).click();
  await journey.waitFor();
  assert.equal(
    await bar.getByRole("button", { name: "Journey" }).getAttribute("aria-pressed"),
    "true",
  );
  await page.locator("tn-stage").getByRole("link", { name: "Map" }).click();
  await page.locator("tn-map .column").first().waitFor();
  await bar.getByRole("button", { name: "Map" }).waitFor();
});
