/*
 * What a visitor waits for, and what is shipped, in bytes of brotli 11, without the module
 * (scripts/size-gate has that). The limits are the last line of each name in scripts/page-size.txt,
 * and change there only, with a reason (ADR 30).
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { brotliCompressSync, constants } from "node:zlib";
import { DESKTOP, ready } from "./browser.mjs";
import { breaking } from "./site.mjs";
import { over } from "./visits.mjs";

/** The site that is shipped, and nothing that tests add. */
const SITE = "out/site";

const site = over(SITE);
let proxy;
const asked = new Set();
before(async () => {
  await site.begun;
  proxy = await breaking(site.url, {}, (path) => asked.add(path));
});
after(async () => {
  await proxy.close();
});

/** Bytes over the recorded ones, in hundredths: what names of files and a compiler's mood make. */
const ROOM = 2;

test("the first view transfers no more than is recorded", async (t) => {
  const page = await site.open(t, proxy.url, { ...DESKTOP, newcomer: true });
  await ready(page);
  await page.locator("tn-journey svg .box").first().waitFor();
  await page.locator("tn-guide article p").first().waitFor();
  await page.waitForLoadState("networkidle");
  const files = [...asked]
    .map((path) => `${SITE}${path === "/" ? "/index.html" : path}`)
    .filter((file) => existsSync(file) && !file.includes(".wasm"));
  assert.ok(
    files.some((file) => /worker/.test(file)),
    files.join(" "),
  );
  holds(t, "first_view", files);
});

/** What a page with an element may cost before anybody has pressed its button. */
const POSTER = 40_000;

test("an element in somebody's page costs less than a picture before the click", async (t) => {
  asked.clear();
  const page = await site.open(t, "about:blank", DESKTOP);
  const address = new URL("somebodys.html", proxy.url).href;
  await page.route(address, (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<!doctype html><title>Somebody's</title><script type="module" src="sdk/elements.js"></script>
        <tabernetes-terminal></tabernetes-terminal><tabernetes-map></tabernetes-map>`,
    }),
  );
  await page.goto(address);
  await page
    .locator("tabernetes-terminal")
    .getByText(/MB are downloaded, once/)
    .waitFor();
  await page
    .locator("tabernetes-map")
    .getByText(/MB are downloaded, once/)
    .waitFor();
  await page.waitForLoadState("networkidle");
  assert.equal(page.workers().length, 0, "nothing has started");
  const files = [...asked].map((path) => `${SITE}${path}`).filter((file) => existsSync(file));
  assert.ok(files.includes(`${SITE}/sdk/elements.js`), files.join(" "));
  assert.ok(!files.some((file) => file.includes(".wasm")), files.join(" "));
  const bytes = holds(t, "poster", files);
  assert.ok(bytes < POSTER, `${bytes} bytes before the click; ${POSTER} are the most`);
});

test("what is shipped is no more than is recorded", (t) => {
  const files = readdirSync(`${SITE}/page`)
    .filter((name) => !/\.(map|br)$/.test(name))
    .map((name) => `${SITE}/page/${name}`);
  // What stands for a cluster in tests is nobody's download.
  assert.ok(!files.some((file) => /fake|rooms/.test(file)), files.join(" "));
  holds(t, "shipped", [`${SITE}/index.html`, ...files]);
});

function holds(t, name, files) {
  const sizes = files.map((file) => ({ file, bytes: compressed(file) }));
  const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
  t.diagnostic(`page_${name} ${bytes} bytes in ${files.length} files`);
  const recorded = recordedOf(name);
  assert.ok(
    bytes * 100 <= recorded * (100 + ROOM),
    `${name} has ${bytes} bytes, ${recorded} are recorded. Find out why, make it smaller or lazier, or add a line with the reason to scripts/page-size.txt. The largest:\n` +
      sizes
        .sort((a, b) => b.bytes - a.bytes)
        .slice(0, 12)
        .map((one) => `${one.bytes} ${one.file}`)
        .join("\n"),
  );
  return bytes;
}

/** The bytes that the last line of that name says. */
function recordedOf(name) {
  const lines = readFileSync("scripts/page-size.txt", "utf8").split("\n");
  const [, , bytes] = lines.findLast((line) => line.split(" ")[1] === name)?.split(" ") ?? [];
  assert.ok(bytes, `scripts/page-size.txt has no line for ${name}`);
  return Number(bytes);
}

function compressed(file) {
  return brotliCompressSync(readFileSync(file), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11 },
  }).length;
}
