/*
 * Debian's Chromium, driven by playwright-core. Every run has a fresh profile. What a page writes
 * to its console goes into out/e2e/<test>.log, its errors into the test's output.
 */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync } from "node:fs";
import { chromium } from "playwright-core";

export const ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // A cluster that lives for a minute pays V8's optimising compiler more of the processor than it ever
  // gets back: half of all that a page takes then. scripts/test has it switched off where that is so.
  ...(process.env.TABERNETES_BASELINE ? ["--js-flags=--liftoff-only"] : []),
];

export const DESKTOP = { viewport: { width: 1440, height: 900 } };
export const PHONE = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  deviceScaleFactor: 2,
};

/**
 * The sizes at which a test with a whole cluster looks at the same things: a phone's in the long lane,
 * what only a phone has elsewhere.
 */
export const SIZES = process.env.TABERNETES_LONG
  ? { desktop: DESKTOP, phone: PHONE }
  : { desktop: DESKTOP };

/**
 * How views are looked at: each size, each colour scheme, and in the long lane each size in each scheme,
 * as `[name of the size, scheme, the context's options]`. Colours do not go by the size.
 */
export function looks(desktop = DESKTOP, phone = PHONE) {
  const all = Object.entries({ desktop, phone }).flatMap(([size, options]) =>
    ["light", "dark"].map((colorScheme) => [size, colorScheme, { ...options, colorScheme }]),
  );
  const pair = { desktop: "light", phone: "dark" };
  return process.env.TABERNETES_LONG ? all : all.filter(([size, scheme]) => scheme === pair[size]);
}

const JS_FLAGS = "--js-flags=";

/** Launches the browser; CHROMIUM names another one. `options` are Playwright's. */
export function launch(args = [], options = {}) {
  // Of two lists of V8's flags Chromium takes the last one.
  const all = [...ARGS, ...args];
  const js = all.filter((arg) => arg.startsWith(JS_FLAGS)).map((arg) => arg.slice(JS_FLAGS.length));
  const others = all.filter((arg) => !arg.startsWith(JS_FLAGS));
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: js.length > 0 ? [...others, JS_FLAGS + js.join(" ")] : others,
    ...options,
  });
}

/**
 * Opens a page in a context of its own, and the context ends with the test. It opens as for somebody
 * who has been here and asked for just a terminal: the map is home. `newcomer` in the options: as at a
 * first visit.
 * @param {import("node:test").TestContext} t
 */
export async function open(t, browser, url, { newcomer = false, ...options } = DESKTOP, init) {
  const context = await browser.newContext(options);
  t.after(() => context.close());
  // Three clusters boot beside this one on two processors: what takes its time there is no failure.
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  // A cluster writes thousands of lines: all of them into a file, errors of the page to the log.
  const log = `out/e2e/${t.name.replace(/[^a-z0-9]+/gi, "-").slice(0, 80)}.log`;
  page.on("console", (message) => {
    appendFileSync(log, `${message.type()}: ${message.text()}\n`);
  });
  page.on("pageerror", (error) => t.diagnostic(`page error: ${error.stack ?? error}`));
  page.on("crash", () => t.diagnostic("the page crashed"));
  await page.addInitScript(() => {
    globalThis.violated = [];
    document.addEventListener("securitypolicyviolation", (event) =>
      globalThis.violated.push(
        `${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}`,
      ),
    );
  });
  if (!newcomer) {
    await page.addInitScript(() => {
      try {
        localStorage["tabernetes.settings"] ??= JSON.stringify({ intro: false });
      } catch {
        // A frame without an origin has no storage, and needs none.
      }
    });
  }
  if (init) await page.addInitScript(init);
  await page.goto(url);
  return page;
}

/** Waits for `tabernetes.ready`; throws with what the page says when it does not come. */
export async function ready(page, timeout = 300_000) {
  const answer = page.evaluate(() => globalThis.tabernetes.ready.then(() => "", String));
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(`not ready after ${timeout / 1000} s`), timeout);
  });
  const problem = await Promise.race([answer, late]);
  clearTimeout(timer);
  if (problem) {
    const shown = await page
      .locator(".boot")
      .innerText({ timeout: 2000 })
      .catch(() => "");
    throw new Error(`${problem}\n${shown}`);
  }
}

/** Everything the terminal shows. */
export function terminalText(page) {
  return page.evaluate(() => document.querySelector("tn-terminal").text());
}

export async function screenshot(page, name) {
  mkdirSync("out/screenshots", { recursive: true });
  await page.screenshot({ path: `out/screenshots/${name}.png` });
}

/** Runs a line of the terminal and gives its output; a failure is an error. */
export async function sh(page, line) {
  const { code, stdout, stderr } = await page.evaluate(
    (text) => globalThis.tabernetes.shell(text),
    line,
  );
  assert.equal(code, 0, `$ ${line}\n${stdout}${stderr}`);
  return stdout;
}
