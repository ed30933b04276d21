/*
 * A cluster whose memory is kept, and whose renderer is killed while the image of it is saved, while it is gone on
 * from, and amid writes behind it. TABERNETES_LONG=1: 200 kills instead of three; KILLS: so many.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ready } from "./browser.mjs";
import { PATIENCE, report } from "./kept-memory.mjs";
import { keeping, kill, there } from "./kills.mjs";

const { KILLS, TABERNETES_LONG } = process.env;
const kills = Number(KILLS ?? (TABERNETES_LONG ? 200 : 3));
/** Within how many milliseconds of its beginning something is cut off: all of it takes less on a fast machine. */
const WITHIN = 2000;

let site;
let context;
let devtools;
let close;
before(async () => {
  ({ site, context, devtools, close } = await keeping("killed-resumed"));
});
after(() => close?.());

async function newPage() {
  const page = await context.newPage();
  await page.addInitScript(() => {
    const settings = { intro: false, keep: true, cluster: "killed", nodes: 1, resume: true };
    localStorage["tabernetes.settings"] = JSON.stringify(settings);
  });
  return page;
}

const killed = async (page) => {
  await kill(devtools, page, PATIENCE);
  await page.close();
};

/** Creates a ConfigMap; resolves to the revision at which it was acknowledged. */
const create = (page, name) =>
  page.evaluate(
    async (metadata) => {
      const response = await globalThis.tabernetes.fetch("/api/v1/namespaces/default/configmaps", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ metadata }),
      });
      if (!response.ok) throw new Error(await response.text());
      return Number((await response.json()).metadata.resourceVersion);
    },
    { name },
  );

/** Waits until an image is being saved; false if none is within a time. */
async function saving(page) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await delay(20)) {
    if ((await report(page)).taken > 0) return true;
  }
  return false;
}

/** How the cluster began, in its own words. */
async function began(page) {
  await page.evaluate(() => (location.hash = "#/clusters"));
  const text = await page.locator("tn-clusters").getByText("This tab runs").innerText();
  return /from memory: (.*)\.$/s.exec(text)?.[1].replace(/[\d.]+/g, "N") ?? "nothing to go on from";
}

test(`killed ${kills} times while its memory is saved or gone on from, a cluster is whole`, async (t) => {
  const acknowledged = new Map();
  const done = { saving: 0, "going on": 0, writing: 0 };
  const how = {};
  let revision = 0;
  const count = () => done.saving + done["going on"] + done.writing;
  for (let round = 0; ; round++) {
    const page = await newPage();
    await page.goto(site.url);
    await ready(page);
    const { names, revision: now } = await there(page);
    const lost = [...acknowledged.keys()].filter((name) => !names.includes(name));
    assert.deepEqual(lost, [], `lost of ${acknowledged.size} after ${count()} kills`);
    assert.ok(now >= revision, `revision ${now} after ${revision}`);
    const said = await began(page);
    how[said] = (how[said] ?? 0) + 1;
    const { from } = await report(page);
    assert.equal(from !== undefined, /read in/.test(said), `${from}: ${said}`);
    if (count() >= kills) {
      await page.close();
      break;
    }
    for (let i = 0; i < 3; i++) {
      const name = `r${round}-${i}`;
      const at = await create(page, name);
      assert.ok(at > revision, `${name} at revision ${at} after ${revision}`);
      acknowledged.set(name, at);
      revision = at;
    }
    // One that went on takes none for a minute: it is killed amid what it has just written.
    if (from === undefined && (await saving(page))) {
      // Once in three times late enough for it to be whole.
      await delay(round % 3 === 0 ? 3 * WITHIN : Math.random() * WITHIN);
      done.saving++;
    } else {
      done.writing++;
    }
    await killed(page);
    if (count() >= kills) continue;
    // The next one is killed before anybody can ask it anything.
    const next = await newPage();
    const gone = next.goto(site.url, { waitUntil: "commit" }).catch(() => undefined);
    await gone;
    await delay(Math.random() * WITHIN);
    await killed(next);
    done["going on"]++;
  }
  t.diagnostic(`${JSON.stringify(done)} kills, ${acknowledged.size} writes, none lost`);
  for (const [words, times] of Object.entries(how)) t.diagnostic(`${times} × ${words}`);
});
