/*
 * What the page says when it cannot work: what was tried, what happened, what to do. The module is
 * a small Go program that fails as told (faulty/), or a download that a proxy breaks.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { DESKTOP, launch, open, PHONE, screenshot } from "./browser.mjs";
import { answers, breaking, serve } from "./site.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Builds the program that ends as `how` says into a directory like the site's. */
function faulty(how) {
  const dir = `out/e2e/faulty-${how}`;
  const assets = join(dir, "assets");
  mkdirSync(assets, { recursive: true });
  const wasm = join(assets, "faulty.0123456789ab.wasm");
  execFileSync(
    "go",
    ["build", "-ldflags", `-X main.how=${how}`, "-o", wasm, "./scripts/e2e/faulty"],
    {
      env: { ...process.env, GOOS: "js", GOARCH: "wasm" },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  const root = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
  copyFileSync(join(root, "lib/wasm/wasm_exec.js"), join(assets, "wasm_exec.js"));
  const manifest = {
    wasm: { url: "faulty.0123456789ab.wasm", size: statSync(wasm).size },
    exec: { url: "wasm_exec.js" },
  };
  writeFileSync(join(assets, "manifest.json"), JSON.stringify(manifest));
  return dir;
}

/** Opens the page over `dir` with what `rules` break; returns what the fault says. */
async function failing(t, dir, { rules, init, options } = {}) {
  // The first directory wins: faulty's manifest hides the site's.
  const site = await serve(dir, "out/site");
  t.after(() => site.close());
  let { url } = site;
  if (rules) {
    const proxy = await breaking(url, rules);
    t.after(() => proxy.close());
    url = proxy.url;
  }
  const page = await open(t, browser, url, options ?? DESKTOP, init);
  const fault = page.locator(".boot.fault");
  await fault.waitFor({ timeout: 60_000 });
  const said = await fault.evaluate((element) => ({
    title: element.querySelector("h2").textContent,
    facts: Object.fromEntries(
      [...element.querySelectorAll("dt")].map((dt) => [
        dt.textContent,
        dt.nextElementSibling.textContent,
      ]),
    ),
    details: element.querySelector("pre")?.textContent ?? "",
    role: element.getAttribute("role"),
    buttons: [...element.querySelectorAll("button")].map((b) => b.textContent.trim()),
  }));
  assert.equal(said.role, "alert");
  assert.deepEqual(said.buttons, ["Reload the page", "Copy the details"]);
  assert.notEqual(said.facts["To do"], "");
  // Whoever waits for the cluster from a script learns it too.
  const rejected = await page.evaluate(() =>
    globalThis.tabernetes.ready.then(
      () => "",
      (e) => e.message,
    ),
  );
  assert.equal(rejected, said.facts.Happened);
  return { page, ...said };
}

describe("a download", () => {
  const dir = () => faulty("return");

  test("that the server refuses", async (t) => {
    const { title, facts } = await failing(t, dir(), { rules: { ".wasm": answers.status(503) } });
    assert.equal(title, "The cluster could not start");
    assert.equal(facts.Tried, "starting: download");
    assert.match(facts.Happened, /The download of the cluster .* failed: the server answered 503/);
  });

  test("whose connection is cut", async (t) => {
    const { facts } = await failing(t, dir(), { rules: { ".wasm": answers.cut } });
    assert.match(facts.Happened, /The download of the cluster .* failed: Failed to fetch/);
  });

  test("that ends early, without an error", async (t) => {
    const { facts, page } = await failing(t, dir(), {
      rules: { ".wasm": answers.truncated(500_000) },
    });
    assert.match(facts.Happened, /^The download broke off: 0\.5 MB of \d+\.\d MB arrived\.$/);
    assert.match(facts["To do"], /proxy/);
    await screenshot(page, "fault-download-desktop");
  });

  test("that breaks in the middle", async (t) => {
    const { facts } = await failing(t, dir(), { rules: { ".wasm": answers.broken(500_000) } });
    assert.match(facts.Happened, /^The download broke off: 0\.\d MB of/);
  });

  test("that is something else", async (t) => {
    const dir = faulty("return");
    const size = statSync(join(dir, "assets/faulty.0123456789ab.wasm")).size;
    const garbage = answers.body("application/wasm", Buffer.alloc(size, "not wasm"));
    const { facts } = await failing(t, dir, { rules: { ".wasm": garbage } });
    assert.equal(facts.Tried, "starting: compile");
    assert.match(facts.Happened, /could not compile .*expected magic word/);
    assert.match(facts["To do"], /empty cache/);
  });

  test("whose manifest is a page of a captive portal", async (t) => {
    const portal = answers.body("text/html", "<!doctype html>Please sign in");
    const { facts } = await failing(t, dir(), { rules: { "manifest.json": portal } });
    assert.match(
      facts.Happened,
      /manifest\.json failed: it is not JSON; the server sent a web page/,
    );
  });

  test("of Go's runtime script", async (t) => {
    const { facts } = await failing(t, dir(), { rules: { "wasm_exec.js": answers.status(404) } });
    assert.match(facts.Happened, /Go's runtime script .* failed/);
  });
});

describe("the program", () => {
  test("that panics: reason and stack", async (t) => {
    const { facts, details, page } = await failing(t, faulty("panic"));
    assert.match(facts.Happened, /The cluster stopped: panic: .*index out of range \[1\]/);
    assert.match(details, /goroutine 1 \[running\]:/);
    assert.match(details, /about to panic/);
    await screenshot(page, "fault-panic-desktop");
  });

  test("that calls os.Exit: klog's fatal line", async (t) => {
    const { facts } = await failing(t, faulty("exit"));
    assert.match(facts.Happened, /The cluster stopped: server\.go:7\] no port left/);
  });

  test("that returns", async (t) => {
    const { facts } = await failing(t, faulty("return"));
    assert.match(facts.Happened, /The cluster stopped/);
  });

  test("that runs out of memory", async (t) => {
    const { facts, page } = await failing(t, faulty("memory"), { options: PHONE });
    assert.match(facts.Happened, /There is not enough memory for the cluster/);
    assert.match(facts["To do"], /Close other tabs/);
    await screenshot(page, "fault-memory-phone");
  });
});

test("a browser without WebAssembly", async (t) => {
  const { facts } = await failing(t, faulty("return"), {
    init: () => {
      delete globalThis.WebAssembly;
    },
  });
  assert.match(facts.Happened, /This browser has no WebAssembly/);
});

test("a Worker whose script does not arrive", async (t) => {
  const rule = (request, response, target) =>
    request.url.includes("/page/worker-") ? answers.status(404)(request, response) : target;
  const { facts } = await failing(t, faulty("return"), {
    rules: { ".js": passing(rule) },
  });
  assert.match(facts.Happened, /The Worker of the cluster failed: its script could not be loaded/);
});

/** A rule that forwards what `rule` does not answer. */
function passing(rule) {
  return (request, response, target) => {
    if (rule(request, response, target) !== target) return;
    fetch(new URL(request.url, target)).then(async (answer) => {
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  };
}

test("a page whose script does not arrive says so without it", async (t) => {
  const site = await serve("out/site");
  t.after(() => site.close());
  // All but the small one that says so (web/first.js): no script stands in the page itself.
  const rule = (request, response, target) =>
    request.url.includes("/page/first-") ? target : answers.status(404)(request, response);
  const proxy = await breaking(site.url, { ".js": passing(rule) });
  t.after(() => proxy.close());
  const page = await open(t, browser, proxy.url);
  await page.getByText("The page's script could not be loaded.").waitFor({ timeout: 10_000 });
});

test("a command typed meanwhile is answered with the reason", async (t) => {
  const { page, facts } = await failing(t, faulty("panic"));
  await page.keyboard.type("kubectl get pods\r");
  await page.waitForFunction(
    (reason) => document.querySelector("tn-terminal").text().replaceAll("\n", "").includes(reason),
    facts.Happened.slice(0, 40),
    { timeout: 5000 },
  );
});
