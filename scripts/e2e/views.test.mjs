/*
 * The views over the fake worker (web/dev): everything that needs no real cluster, and the
 * pictures of it in both themes, on a desktop and on a phone.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DESKTOP, looks, ready, screenshot } from "./browser.mjs";
import { settled } from "./look.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

const type = (page, ...lines) => page.keyboard.type(lines.map((line) => `${line}\r`).join(""));
const shows = (page, text) =>
  page.waitForFunction(
    (wanted) => document.querySelector("tn-terminal").text().includes(wanted),
    text,
    {
      timeout: 5000,
    },
  );
const pods = (page) => page.locator("tn-map button.pod");
/** Deployments that end in every state the fake cluster knows. */
const STATES = [
  "kubectl create deployment nginx --image=nginx --replicas=5",
  "k create deployment api --image=loop --replicas=2",
  "k create deployment big --image=huge",
  "k create deployment web --image=missing",
];
/** Each of them has come to its end, as the header counts them; on a phone, too. */
const ended = async (page) => {
  await page
    .locator("tn-counts", { hasText: /9\s*pods\s*1\s*pending\s*3\s*failing/ })
    .waitFor({ state: "attached" });
  await settled(page);
};

test("the frame is painted before any script has come", async (t) => {
  const context = await site.browser.newContext({ ...DESKTOP, javaScriptEnabled: false });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(site.url);
  const steps = await page.locator(".boot li").allInnerTexts();
  assert.deepEqual(
    steps.map((s) => s.trim()),
    ["download", "compile", "store", "apiserver", "controllers", "scheduler", "nodes"],
  );
  await page.locator(".prompt").waitFor();
  assert.match(
    await page.locator(".boot noscript").textContent(),
    /This page needs JavaScript and WebAssembly/,
  );
  await screenshot(page, "views-noscript-desktop");
});

test("what is typed before the cluster is ready runs once it is", async (t) => {
  const page = await site.open(t, `${site.url}?verbose`);
  await page.locator("tn-terminal .xterm").waitFor();
  // The terminal has the focus without a click.
  await type(page, "kubectl create deployment early --image=nginx", "kubectl get pods");
  await ready(page);
  await shows(page, "deployment.apps/early created");
  await shows(page, "early-7d4f9c6b58");
});

test("the list of the start gives way to one line, which brings it back", async (t) => {
  const page = await site.visit(t);
  await page.locator(".boot").waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^ready in \d\.\d s$/ }).click();
  assert.match(await page.locator(".boot").innerText(), /download\s+14\.2 MB\s+0\.\d\d s/);
  await page.keyboard.press("Escape");
  await page.locator(".boot").waitFor({ state: "detached" });
});

describe("the map", () => {
  test("says what to type, and types it on a click", async (t) => {
    const page = await site.visit(t);
    await page.locator("tn-map .command").click();
    await shows(page, "$ kubectl create deployment nginx --image=nginx --replicas=3");
    await page.keyboard.press("Enter");
    await pods(page).nth(2).waitFor();
    assert.equal(await page.locator("tn-map .command").count(), 0);
  });

  test("shows every state with kubectl's word, a shape and a label", async (t) => {
    const page = await site.visit(t);
    await type(page, ...STATES);
    await pods(page).nth(8).waitFor();
    await page.locator("tn-map button.pod[data-state='running']").nth(4).waitFor();
    await ended(page);
    const drawn = await pods(page).evaluateAll((all) =>
      all.map((p) => [
        p.dataset.state,
        p.querySelector(".status").textContent,
        p.getAttribute("aria-label"),
      ]),
    );
    const states = drawn.map(([state]) => state);
    assert.equal(states.filter((s) => s === "running").length, 5);
    assert.equal(states.filter((s) => s === "failing").length, 3);
    assert.equal(states.filter((s) => s === "pending").length, 1);
    for (const [state, status, label] of drawn) {
      if (state === "running") assert.match(label, /^pod\/nginx-\S+: Running, 1\/1 ready$/);
      else assert.ok(status !== "" && label.includes(`: ${status}, `), label);
    }
    const loose = page.locator("tn-map .column[aria-label='unscheduled'] button.pod");
    assert.match(await loose.getAttribute("aria-label"), /^pod\/big-\S+: Pending/);
  });

  test("is worked by keys: arrows move, Enter selects, Escape goes back to the terminal", async (t) => {
    const page = await site.visit(t);
    await type(page, STATES[0]);
    // Bound, each to its node: until then they stand elsewhere.
    await page.locator("tn-map .column[aria-label^='Node '] button.pod").nth(4).waitFor();
    await page.locator("tn-map [data-item][tabindex='0']").focus();
    const focused = (expected) =>
      page.waitForFunction(
        (start) =>
          document.querySelector("tn-map").shadowRoot.activeElement?.title.startsWith(start),
        expected,
      );
    await focused("node/node-1: Ready");
    await page.keyboard.press("ArrowRight");
    await focused("node/node-2: Ready");
    await page.keyboard.press("ArrowDown");
    await focused("pod/nginx-");
    await page.keyboard.press("Enter");
    // Views redraw with the next frame.
    const title = page.locator("tn-inspector h2").first();
    await title.filter({ hasText: /pod\/nginx-/ }).waitFor();
    await page.keyboard.press("Escape");
    assert.equal(
      await page.evaluate(() => document.activeElement.shadowRoot?.activeElement?.className),
      "xterm-helper-textarea",
    );
    await title.filter({ hasText: "Try" }).waitFor();
    // From the inspector it goes to the view beside it.
    await page.locator("tn-map button.pod").first().click();
    await title.filter({ hasText: /pod\/nginx-/ }).waitFor();
    await page.locator("tn-inspector [role=tab][aria-selected=true]").focus();
    await page.keyboard.press("Escape");
    await title.filter({ hasText: "Try" }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.localName), "tn-map");
  });

  test("a deleted pod leaves its place for a moment, and nothing shifts under the pointer", async (t) => {
    const page = await site.visit(t);
    await page.clock.install();
    await page.reload();
    await ready(page);
    await type(page, STATES[0]);
    await page.locator("tn-map button.pod[data-state='running']").nth(4).waitFor();
    await page.locator("tn-map").hover();
    // Five pods over three nodes: the second one has two.
    const column = page.locator("tn-map .column").nth(1);
    const names = await column
      .locator("button.pod")
      .evaluateAll((all) => all.map((p) => p.getAttribute("aria-label").slice(4).split(":")[0]));
    const second = column.locator("button.pod").nth(1);
    const before = await second.boundingBox();
    await page.evaluate((name) => globalThis.tabernetes.kubectl(`delete pod ${name}`), names[0]);
    await column.locator(".gone").waitFor();
    // Two seconds pass at once: nothing closes up under the pointer in them.
    await page.clock.runFor(2000);
    assert.deepEqual(
      await page.locator(`tn-map [aria-label^='pod/${names[1]}']`).boundingBox(),
      before,
    );
    await page.mouse.move(10, 890);
    await column.locator(".gone").waitFor({ state: "detached" });
    const after = await page.locator(`tn-map [aria-label^='pod/${names[1]}']`).boundingBox();
    assert.ok(after.y < before.y);
  });

  test("300 pods are drawn as glyphs, each still with its label", async (t) => {
    const page = await site.visit(t);
    await type(page, "kubectl create deployment many --image=nginx --replicas=300");
    await pods(page).nth(299).waitFor();
    await page.locator("tn-map .columns[data-dense]").waitFor();
    assert.match(await pods(page).nth(150).getAttribute("aria-label"), /^pod\/many-/);
    await page.locator("tn-map button.pod[data-state='running']").nth(299).waitFor();
    await settled(page);
    await screenshot(page, "views-dense-desktop-light");
  });
});

describe("the map, grouped and big", () => {
  const columns = (page) =>
    page
      .locator("tn-map .column")
      .evaluateAll((all) =>
        all.map((c) => [c.getAttribute("aria-label"), c.querySelectorAll("button.pod").length]),
      );

  test("pods stand by owner, by namespace, by label; the address keeps it", async (t) => {
    const page = await site.visit(t);
    await type(page, STATES[0], STATES[1]);
    await pods(page).nth(6).waitFor();
    await page.getByLabel("Group by").selectOption("owner");
    await page.locator("tn-map .column[aria-label='deployment/api']").waitFor();
    assert.deepEqual(await columns(page), [
      ["deployment/nginx", 5],
      ["deployment/api", 2],
    ]);
    assert.match(page.url(), /#\/map\?by=owner$/);
    await page.getByLabel("Group by").selectOption("label");
    await page.getByRole("combobox", { name: "Label" }).selectOption("app");
    await page.locator("tn-map .column[aria-label='nginx']").waitFor();
    await page.goto(`${site.url}#/map?by=namespace`);
    await page.locator("tn-map .column[aria-label='default']").waitFor();
    assert.deepEqual(await columns(page), [["default", 7]]);
    await page.getByLabel("Group by").selectOption("node");
    await page.locator("tn-map .column[aria-label='Node node-3']").waitFor();
  });

  test("a node says what is requested of what it has", async (t) => {
    const page = await site.visit(t);
    await type(page, STATES[0]);
    await page.locator("tn-map button.pod[data-state='running']").nth(4).waitFor();
    assert.match(await page.locator("tn-map .meters").first().innerText(), /cpu 0\.[12]\/4/);
    assert.match(await page.locator("tn-map .sum").innerText(), /cpu 0\.5\/12 .* pods 5\/330/);
  });

  test("a thousand pods are squares: hover names one, a click inspects it, arrows walk", async (t) => {
    const page = await site.visit(t);
    await type(page, "kubectl create deployment many --replicas=1000");
    const map = page.locator("tn-map-canvas");
    await map.getByRole("application", { name: /^Map of 1000 pods in 4 groups: / }).waitFor();
    await map.getByRole("application", { name: /: \d+ running, ready\./ }).waitFor();
    await settled(page);
    const box = await map.boundingBox();
    await page.mouse.move(box.x + 30, box.y + 30);
    await map.locator(".tip", { hasText: /pod\/many-/ }).waitFor();
    await page.mouse.click(box.x + 30, box.y + 30);
    await page.locator("tn-inspector h2", { hasText: "pod/many-" }).waitFor();
    await map.getByRole("application").press("ArrowRight");
    await map.locator("[aria-live]", { hasText: /pod\/many-/ }).waitFor();
    await map.getByRole("application").press("Home");
    await map.locator("[aria-live]", { hasText: /node\/node-1: Ready/ }).waitFor();
  });

  test("a thousand nodes are tiles, and a double click shows the pods of one", async (t) => {
    const page = await site.visit(t);
    await type(page, "nodes 997", "kubectl create deployment many --replicas=2000");
    const map = page.locator("tn-map-canvas");
    await map
      .getByRole("application", { name: /^Map of 2000 pods in 1001 groups/ })
      .waitFor({ timeout: 120_000 });
    await map
      .getByRole("application", { name: /: \d+ running, ready\./ })
      .waitFor({ timeout: 120_000 });
    await settled(page, 120_000);
    const box = await map.boundingBox();
    await page.mouse.dblclick(box.x + 6, box.y + 6);
    await page.locator("tn-map .column[aria-label='Node node-1'] button.pod").nth(1).waitFor();
    assert.match(page.url(), /in=node-1/);
    await page.getByRole("button", { name: /^← all/ }).click();
    await map.waitFor();
  });
});

test("the line between map and terminal is moved by keys and by dragging", async (t) => {
  const page = await site.visit(t);
  const height = () => page.locator(".pane.map").evaluate((e) => e.clientHeight);
  const before = await height();
  await page.locator(".split:not(.upright)").press("ArrowDown");
  assert.ok((await height()) > before);
  const box = await page.locator(".split:not(.upright)").boundingBox();
  await page.mouse.move(box.x + 200, box.y);
  await page.mouse.down();
  await page.mouse.move(box.x + 200, box.y - 150, { steps: 4 });
  await page.mouse.up();
  assert.ok((await height()) < before - 100);
});

test("the theme goes auto, light, dark, and is remembered", async (t) => {
  const page = await site.visit(t, "", { ...DESKTOP, colorScheme: "dark" });
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), "dark");
  await page.getByRole("button", { name: /^Theme: auto/ }).click();
  assert.equal(await theme(), "light");
  await page.reload();
  assert.equal(await theme(), "light");
});

test("without motion nothing is animated", async (t) => {
  const page = await site.visit(t, "", { ...DESKTOP, reducedMotion: "reduce" });
  await type(page, STATES[0]);
  await pods(page).nth(4).waitFor();
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
});

for (const colorScheme of ["light", "dark"]) {
  test(`text has a contrast of 4.5 to 1 at least, ${colorScheme}`, async (t) => {
    const page = await site.visit(t, "", { ...DESKTOP, colorScheme });
    await type(page, ...STATES);
    await pods(page).nth(8).waitFor();
    await ended(page);
    await page.locator("tn-map button.pod[data-state='failing']").first().click();
    await page.locator("tn-inspector [role=tab]").first().waitFor();
    await settled(page);
    assert.deepEqual(await page.evaluate(lowContrast), []);
  });
}

for (const [name, colorScheme, options] of looks()) {
  test(`pictures: ${name}, ${colorScheme}`, async (t) => {
    const page = await site.open(t, `${site.url}?verbose`, options);
    const shot = (what) => screenshot(page, `views-${what}-${name}-${colorScheme}`);
    await page.locator(".boot li[data-state='running']").first().waitFor();
    await shot("boot");
    await ready(page);
    await page.locator(".boot").waitFor({ state: "detached" });
    await shot("empty");
    await type(page, ...STATES, "kubectl get pods");
    await ended(page);
    await shot("pods");
    if (name === "phone") {
      await page.getByRole("button", { name: "Map" }).click();
      await shot("map");
    }
    await page.locator("tn-map button.pod[data-state='failing']").first().click();
    await page.locator("tn-inspector [role=tab]").first().waitFor();
    await settled(page);
    await shot("selected");
    await page.getByRole("button", { name: /^Events/ }).click();
    await shot("events");
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(overflow, 0, "the page is wider than the screen");
  });
}

/**
 * Runs in the page: every visible text whose colour is too close to what is behind it, by the
 * formula of WCAG 2 (1.4.3). Text of the terminal is xterm's, which keeps the ratio itself.
 */
function lowContrast() {
  const luminance = ([r, g, b]) => {
    const linear = (c) =>
      c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4;
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  };
  const parse = (color) => color.match(/[\d.]+/g).map(Number);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement ?? e.getRootNode().host) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) walk(element.shadowRoot);
      const text = [...element.childNodes]
        .filter((n) => n.nodeType === 3 && n.data.trim())
        .map((n) => n.data.trim());
      if (
        text.length === 0 ||
        element.closest(".xterm, style, script") ||
        element.offsetParent === null
      )
        continue;
      const [a, b] = [
        luminance(parse(getComputedStyle(element).color)),
        luminance(behind(element)),
      ];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) found.push(`${text[0].slice(0, 30)}: ${ratio.toFixed(2)}`);
    }
  };
  walk(document.body);
  return found;
}
