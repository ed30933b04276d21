/*
 * A kept cluster whose renderer is killed in the middle of writes, again and again, and whose storage is
 * full. TABERNETES_LONG=1: 200 kills instead of four; KILLS: so many.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ready, screenshot } from "./browser.mjs";
import { beforeWorkers } from "./kept-memory.mjs";
import { keeping, kill, there } from "./kills.mjs";
import { until } from "./look.mjs";

const KILLS = Number(process.env.KILLS ?? (process.env.TABERNETES_LONG ? 200 : 4));
/** How many writes are under way at a time. */
const WRITERS = 8;
/** For what a busy machine takes its time for, in milliseconds. */
const PATIENCE = 120_000;

let site;
let context;
let devtools;
let close;
before(async () => {
  ({ site, context, devtools, close } = await keeping("killed"));
});
after(() => close?.());

/** Opens the kept cluster `name`, of no nodes: what is killed is the store. */
async function open(name) {
  const page = await context.newPage();
  await page.addInitScript((cluster) => {
    const settings = { intro: false, keep: true, cluster, nodes: 0 };
    localStorage["tabernetes.settings"] = JSON.stringify(settings);
  }, name);
  await page.goto(site.url);
  return page;
}

/** Creates a ConfigMap with so many bytes; resolves to the status and what is said. */
function create(page, name, bytes = 100) {
  return page.evaluate(
    async ([metadata, length]) => {
      const response = await globalThis.tabernetes.fetch("/api/v1/namespaces/default/configmaps", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ metadata: { name: metadata }, data: { x: "x".repeat(length) } }),
      });
      return { status: response.status, text: await response.text() };
    },
    [name, bytes],
  );
}

test(`killed ${KILLS} times in the middle of writes, nothing acknowledged is lost`, async (t) => {
  const acknowledged = new Set();
  let revision = 0;
  const name = "killed";
  let waiting = { count: Infinity, resolve: () => undefined };
  await context.exposeFunction("acknowledged", (object, at) => {
    acknowledged.add(object);
    revision = Math.max(revision, at);
    if (--waiting.count === 0) waiting.resolve();
  });
  for (let round = 0; round <= KILLS; round++) {
    const page = await open(name);
    await ready(page);
    const { names, revision: now } = await there(page);
    const lost = [...acknowledged].filter((object) => !names.includes(object));
    assert.deepEqual(lost, [], `lost of ${acknowledged.size} after ${round} kills`);
    assert.ok(now >= revision, `revision ${now} after ${revision}`);
    if (round === KILLS) {
      await page.close();
      break;
    }
    const enough = new Promise((resolve) => {
      // Another number each time: before, within and after a flush.
      waiting = { count: 1 + ((round * 17) % 43), resolve };
    });
    await page.evaluate(
      ([writers, prefix]) => {
        const write = async (writer) => {
          for (let i = 0; ; i++) {
            const object = `${prefix}-${writer}-${i}`;
            const response = await globalThis.tabernetes.fetch(
              "/api/v1/namespaces/default/configmaps",
              {
                method: "POST",
                headers: { "Content-Type": "application/json" },
                body: JSON.stringify({ metadata: { name: object } }),
              },
            );
            const { metadata } = await response.json();
            if (response.ok) void globalThis.acknowledged(object, Number(metadata.resourceVersion));
          }
        };
        for (let writer = 0; writer < writers; writer++) void write(writer);
      },
      [WRITERS, `r${round}`],
    );
    await enough;
    await kill(devtools, page, PATIENCE);
    await page.close();
  }
  t.diagnostic(`${acknowledged.size} writes acknowledged, ${KILLS} kills, none lost`);
});

test("full: writes fail and say so, what was acknowledged stays", async () => {
  const page = await open("full");
  await ready(page);
  const origin = new URL(site.url).origin;
  const session = await context.newCDPSession(page);
  const { usage } = await session.send("Storage.getUsageAndQuota", { origin });
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: usage + 2_000_000 });
  let made = 0;
  let answer;
  for (; made < 100; made++) {
    answer = await create(page, `large-${made}`, 500_000);
    if (answer.status !== 201) break;
  }
  assert.ok(made > 0 && made < 100, `${made} were made`);
  assert.match(answer.text, /storage for the page is full/);
  const said = await page.evaluate(() =>
    globalThis.tabernetes.shell("kubectl create configmap refused --from-literal=a=b 2>&1"),
  );
  if (said.code !== 0) assert.match(said.stdout, /storage for the page is full/);
  await screenshot(page, "kept-full-desktop");
  await session.send("Storage.overrideQuotaForOrigin", { origin });
  assert.equal((await create(page, "room-again")).status, 201);
  await page.reload();
  await ready(page);
  const { names } = await there(page);
  for (let i = 0; i < made; i++) assert.ok(names.includes(`large-${i}`), `large-${i} is lost`);
  assert.ok(names.includes("room-again"));
  assert.ok(!names.includes(`large-${made}`), "what was refused is there");
  await page.close();
});

test("deleted by the browser: that is said, what is there can be had, and a reload begins anew", async () => {
  const page = await open("deleted");
  await ready(page);
  assert.equal((await create(page, "before")).status, 201);
  const session = await context.newCDPSession(page);
  const { origin } = new URL(site.url);
  // As "Clear site data" of the browser's settings. Its files are open: writes go on, and lead nowhere.
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  const events =
    "kubectl get events --field-selector reason=ClusterNotKept -o jsonpath='{..message}'";
  await until(
    page,
    ({ stdout }) => /deleted in this browser.*ends with this tab/.test(stdout),
    () => page.evaluate((line) => globalThis.tabernetes.shell(line), events),
    PATIENCE,
  );
  assert.ok((await there(page)).names.includes("before"));
  await page.reload();
  await ready(page);
  assert.deepEqual(
    (await there(page)).names.filter((name) => name === "before"),
    [],
  );
  assert.equal((await create(page, "anew")).status, 201);
  await page.close();
});

test("refused by the browser: it starts, and says everywhere that it ends with the tab", async () => {
  const page = await context.newPage();
  const refuse = () => {
    globalThis.StorageManager.prototype.getDirectory = () =>
      Promise.reject(new globalThis.DOMException("It is forbidden here.", "SecurityError"));
  };
  await page.addInitScript(refuse);
  await page.addInitScript(() => {
    const settings = { intro: false, keep: true, cluster: "refused", nodes: 1 };
    localStorage["tabernetes.settings"] = JSON.stringify(settings);
  });
  await beforeWorkers(page, refuse, null);
  await page.goto(site.url);
  await ready(page);
  assert.equal((await create(page, "there")).status, 201);
  const said = /ends with this tab: .*It is forbidden here/;
  await until(
    page,
    ({ stdout }) => said.test(stdout),
    () =>
      page.evaluate(() =>
        globalThis.tabernetes.shell(
          "kubectl get events --field-selector reason=ClusterNotKept -o jsonpath='{..message}'",
        ),
      ),
    PATIENCE,
  );
  await page.evaluate(() => (location.hash = "#/clusters"));
  const view = page.locator("tn-clusters");
  await view
    .getByText(/was to be kept, and is not: it ends with this tab.*It is forbidden here/)
    .waitFor();
  await view.getByText(/Nothing can be kept here: .*It is forbidden here/).waitFor();
  await screenshot(page, "kept-refused-desktop");
  await page.close();
});
