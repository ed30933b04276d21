/*
 * The page's rooms: views stand over a cluster that they are given, as many as one likes, below any
 * element; what is made is disposed of; and a script that is loaded twice does no harm. Over the page
 * of web/dev/rooms.ts, with the cluster of the fake Worker.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, ready } from "./browser.mjs";
import { until } from "./look.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

/** Counts in `globalThis.kept` what outlives the elements: listeners of the document and above it,
 * timers that go on, observers, Workers, channels. */
function count() {
  const kept = (globalThis.kept = new Map());
  const add = (what) => kept.set(what, (kept.get(what) ?? 0) + 1);
  const take = (what) => kept.set(what, (kept.get(what) ?? 0) - 1);
  const lasting = (target) =>
    !(target instanceof Node) ||
    [document, document.documentElement, document.body].includes(target);
  const known = new WeakMap();
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  const key = (type, options) =>
    `${type} ${typeof options === "object" ? Boolean(options?.capture) : Boolean(options)}`;
  const ofTarget = (target) => {
    if (!known.has(target)) known.set(target, new Map());
    return known.get(target);
  };
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    const target = this ?? globalThis;
    // Those of an AbortSignal or a port go with it.
    if (listener && lasting(target) && !options?.signal && !options?.once) {
      const name = Object.prototype.toString.call(target).slice(8, -1);
      if (
        /^(Window|HTMLDocument|HTML\w+Element|MediaQueryList|VisualViewport|Screen\w*)$/.test(name)
      ) {
        const all = ofTarget(target);
        const k = key(type, options);
        if (!all.has(k)) all.set(k, new Set());
        if (!all.get(k).has(listener)) add(`${name} ${type}`);
        all.get(k).add(listener);
      }
    }
    return addEventListener.call(target, type, listener, options);
  };
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    const target = this ?? globalThis;
    if (known.get(target)?.get(key(type, options))?.delete(listener)) {
      take(`${Object.prototype.toString.call(target).slice(8, -1)} ${type}`);
    }
    return removeEventListener.call(target, type, listener, options);
  };
  const intervals = new Set();
  const { setInterval, clearInterval } = globalThis;
  globalThis.setInterval = (...args) => {
    const id = setInterval(...args);
    intervals.add(id);
    add("interval");
    return id;
  };
  globalThis.clearInterval = (id) => {
    if (intervals.delete(id)) take("interval");
    clearInterval(id);
  };
  for (const name of ["ResizeObserver", "MutationObserver", "IntersectionObserver"]) {
    const Real = globalThis[name];
    globalThis[name] = class extends Real {
      observe(...args) {
        if (!this.counted) add(name);
        this.counted = true;
        super.observe(...args);
      }
      disconnect() {
        if (this.counted) take(name);
        this.counted = false;
        super.disconnect();
      }
    };
  }
  for (const [name, end] of [
    ["Worker", "terminate"],
    ["BroadcastChannel", "close"],
  ]) {
    const Real = globalThis[name];
    globalThis[name] = class extends Real {
      constructor(...args) {
        super(...args);
        add(name);
      }
      [end]() {
        if (!this.ended) take(name);
        this.ended = true;
        super[end]();
      }
    };
  }
}

test("what the page makes, it disposes of: nothing is left listening", async (t) => {
  const page = await site.open(t, `${site.url}web/dev/rooms.html`, DESKTOP, count);
  const counted = () =>
    page.evaluate(() => Object.fromEntries([...globalThis.kept].filter(([, n]) => n !== 0)));
  // The first time loads what stays loaded: chunks of the script, tables of libraries.
  let before;
  for (let round = 0; round < 2; round++) {
    before = await counted();
    await page.evaluate(async () => {
      globalThis.bench = await globalThis.rooms.whole();
      await globalThis.bench.session.cluster.ready;
    });
    await page.evaluate(() =>
      globalThis.bench.session.api.kubectl("create deployment nginx --image=nginx --replicas=3"),
    );
    await page.locator("tn-map button.pod").nth(2).click();
    for (const [show, element] of Object.entries({
      yaml: "tn-object-yaml .cm-content",
      logs: "tn-object-logs .cm-content",
      edit: "tn-object-edit .cm-content",
      tree: "tn-object-tree",
      events: "tn-object-events",
    })) {
      await page.evaluate((show) => {
        const { path, query } = globalThis.bench.page.route.state;
        globalThis.bench.page.route.dispatch({ path, query: { ...query, show } });
      }, show);
      await page.locator(element).first().waitFor({ state: "attached" });
    }
    for (const [name, element] of Object.entries({
      objects: "tn-grid",
      editor: "tn-editor .cm-content",
      nodes: "tn-nodes tbody tr",
      events: "tn-events-page",
      settings: "tn-settings",
      clusters: "tn-clusters",
      map: "tn-map",
    })) {
      await page.evaluate(
        (name) => globalThis.bench.page.route.dispatch({ path: [name], query: {} }),
        name,
      );
      await page.locator(element).first().waitFor();
    }
    await page.evaluate(() => globalThis.bench.page.palette.emit("po"));
    await page.locator("tn-palette [role=option]").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "New terminal" }).click();
    await page.locator("tn-terminal .xterm").nth(1).waitFor();
    const during = await counted();
    assert.ok(during.Worker === 1 && during.interval > 0, JSON.stringify(during));
    await page.evaluate(() => globalThis.bench.dispose());
  }
  assert.deepEqual(await counted(), before);
  assert.equal(await page.locator("tn-terminal, tn-palette, tn-keys, tn-edit-dialog").count(), 0);
});

test("views of two clusters, two of each, stand in one document", async (t) => {
  const page = await site.open(t, `${site.url}web/dev/rooms.html`);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.evaluate(() => {
    globalThis.one = globalThis.rooms.views("one");
    globalThis.other = globalThis.rooms.views("other");
  });
  await page.locator("#one tn-map").nth(1).locator(".column").nth(2).waitFor();
  await page.locator("#other tn-map").nth(1).locator(".column").nth(2).waitFor();

  // Each root has its ids to itself, and the document has none of the views'.
  const clashes = await page.evaluate(() => {
    const found = [];
    const walk = (root) => {
      const ids = [...root.querySelectorAll("[id]")].map(({ id }) => id);
      found.push(...ids.filter((id, i) => ids.indexOf(id) !== i));
      for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot) walk(shadowRoot);
    };
    walk(document);
    return found;
  });
  assert.deepEqual(clashes, []);
  const inDocument = () => [...document.querySelectorAll("[id]")].map(({ id }) => id);
  assert.deepEqual(await page.evaluate(inDocument), ["one", "other"]);

  // What is typed into a terminal happens in its cluster, and every map over that shows it.
  await page
    .locator("#one tn-terminal")
    .nth(1)
    .evaluate((terminal) => terminal.focus());
  await page.keyboard.type("kubectl create deployment nginx --image=nginx --replicas=3\n");
  for (const n of [0, 1]) {
    await page.locator("#one tn-map").nth(n).locator("button.pod").nth(2).waitFor();
  }
  assert.equal(await page.locator("#other button.pod").count(), 0);
  // The terminals of a cluster have shells of their own.
  const said = (n) =>
    page
      .locator("#one tn-terminal")
      .nth(n)
      .evaluate((terminal) => terminal.text());
  assert.ok((await said(1)).includes("created"));
  assert.ok(!(await said(0)).includes("created"));

  // xterm.js' sheet reaches its elements: its textarea is out of sight, its rows are not.
  const sheet = await page
    .locator("#other .xterm-helper-textarea")
    .first()
    .evaluate((area) => getComputedStyle(area).opacity);
  assert.equal(sheet, "0");

  await page.evaluate(() => globalThis.one.dispose());
  assert.equal(await page.locator("#one").count(), 0);
  await page
    .locator("#other tn-terminal")
    .first()
    .evaluate((terminal) => terminal.focus());
  await page.keyboard.type("kubectl create deployment late --image=nginx\n");
  await until(
    page,
    (n) => n > 0,
    () => page.locator("#other tn-map").first().locator("button.pod").count(),
  );
  assert.deepEqual(errors, []);
});

/** Loads the page's script once more, from another address: a second copy of all of it. */
async function loadCopy(page) {
  await page.route("**/copy/**", async (route) => {
    const url = route.request().url().replace("/copy/", "/");
    await route.fulfill({ response: await route.fetch({ url }) });
  });
  const main = await page.locator("script[type=module]").getAttribute("src");
  await page.evaluate(async (src) => {
    const { href } = new URL(src, location.href);
    await import(href.replace("/page/", "/copy/page/"));
  }, main);
}

test("a script that is loaded twice does no harm: the page has one cluster", async (t) => {
  const page = await site.open(t);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await ready(page);
  await page.evaluate(() => (globalThis.first = globalThis.tabernetes));
  await loadCopy(page);
  assert.ok(await page.evaluate(() => globalThis.first === globalThis.tabernetes));
  for (const name of ["tn-map", "tn-terminal", "tn-palette", "tn-boot"]) {
    assert.equal(await page.locator(name).count(), 1, name);
  }
  assert.deepEqual(errors, []);
});

test("two copies of the script have elements of their own", async (t) => {
  const page = await site.open(t, `${site.url}web/dev/rooms.html`);
  await page.evaluate(() => globalThis.rooms.views("one"));
  await loadCopy(page);
  await page.evaluate(() => globalThis.rooms.views("copied"));
  await page.locator("#one tn-map .column").first().waitFor();
  await page.locator("#copied tn-map-2 .column").first().waitFor();
});
