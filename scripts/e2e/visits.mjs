/*
 * What a file of browser tests begins with: one browser and one site, there before its first test and
 * closed after its last, and the ways to a page of it.
 */
import { after, before } from "node:test";
import { DESKTOP, launch, open, ready } from "./browser.mjs";
import { until } from "./look.mjs";
import { serve } from "./site.mjs";

/**
 * The built page in Chromium, with `args` of its own (or a promise of them), from the directory `dir`. To be called once,
 * outside of tests. Hooks at the top of a file begin at once, side by side: one that needs the site awaits `begun` first.
 */
export function over(dir, args = []) {
  let served;
  const site = {
    /** @type {Promise<void>} */
    begun: undefined,
    /** @type {import("playwright-core").Browser} */
    browser: undefined,
    get url() {
      return served.url;
    },
    /** As `open` of browser.mjs, in this browser. */
    open: (t, url = site.url, options, init) => open(t, site.browser, url, options, init),
    /** Opens `#/<view>`, and waits until the cluster is ready and what showed its start is gone. */
    async visit(t, view = "", options = DESKTOP, init) {
      const page = await site.open(t, view ? `${site.url}#/${view}` : site.url, options, init);
      await ready(page);
      await page.locator(".boot").waitFor({ state: "detached" });
      return page;
    },
  };
  site.begun = (async () => {
    site.browser = await launch(await args);
    served = await serve(dir);
  })();
  before(() => site.begun);
  after(async () => {
    await site.browser?.close();
    await served?.close();
  });
  return site;
}

/**
 * One page over the real cluster for a whole file, whose tests follow one another in it, and what they ask of it. `name` is
 * that of its log. To be called once, outside of tests; `page` is there once `begun` is over, which hooks await first.
 */
export function oneVisit(name) {
  const site = over("out/site");
  let close;
  const visit = {
    /** @type {Promise<void>} */
    begun: undefined,
    /** @type {import("playwright-core").Page} */
    page: undefined,
    kubectl: (line, stdin) =>
      visit.page.evaluate(
        ([l, i]) => globalThis.tabernetes.kubectl(l, { stdin: i }),
        [line, stdin],
      ),
    go: (hash) => visit.page.evaluate((h) => (globalThis.location.hash = h), hash),
    shows: (locator, text, timeout = 30_000) =>
      locator.filter({ hasText: text }).first().waitFor({ timeout }),
    until: (what, ask, timeout) => until(visit.page, what, ask, timeout),
  };
  visit.begun = (async () => {
    await site.begun;
    const file = { name, diagnostic: () => undefined, after: (f) => (close = f) };
    visit.page = await site.open(file, site.url, { ...DESKTOP, colorScheme: "light" });
    await ready(visit.page);
  })();
  before(() => visit.begun);
  after(() => close?.());
  return visit;
}
