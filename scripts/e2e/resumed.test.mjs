/* A kept cluster whose memory is kept, too: it goes on after a reload instead of starting, or says why it does not. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { chromium } from "playwright-core";
import { ARGS, ready, sh } from "./browser.mjs";
import {
  PATIENCE,
  ahead,
  beforeWorkers,
  filesOf,
  imageKept,
  inCluster,
  report,
  until,
} from "./kept-memory.mjs";
import { serve } from "./site.mjs";

let profile;
let context;
let site;
let page;

before(async () => {
  profile = mkdtempSync(join(tmpdir(), "resumed-"));
  site = await serve("out/site");
  context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ARGS,
  });
  page = await context.newPage();
  await page.addInitScript(() => {
    const cluster = sessionStorage.getItem("cluster") ?? "resumed";
    const settings = { intro: false, keep: true, cluster };
    settings.resume = sessionStorage.getItem("resume") !== "off";
    localStorage["tabernetes.settings"] = JSON.stringify(settings);
  });
  page.on("dialog", (dialog) => void dialog.accept());
});

after(async () => {
  await context?.close();
  await site?.close();
  rmSync(profile, { recursive: true, force: true });
});

/** Reloads; what the page says of how the cluster began. */
async function reload() {
  await page.reload();
  await ready(page);
  await page.evaluate(() => (location.hash = "#/clusters"));
  return clusters().getByText("In this tab it has").innerText();
}

const clusters = () => page.locator("tn-clusters");

const pods = () =>
  sh(
    page,
    "kubectl get pods -o jsonpath='{range .items[*]}{.metadata.uid} {.status.containerStatuses[0].restartCount} {end}'",
  );

/** Makes an object whose name the server makes, too: its name, UID and revision. */
const generated = () =>
  sh(
    page,
    "echo '{apiVersion: v1, kind: ConfigMap, metadata: {generateName: g-}}' | kubectl create -f - -o jsonpath='{.metadata.name} {.metadata.uid} {.metadata.resourceVersion}'",
  );

const token = () => sh(page, "kubectl create token default");

const DAY_MS = 86_400_000;
/** Three times of what it was seen to hold: what leaks grows beyond it. */
const NAMED = 1000;
/** What asks for goroutines, calls of the page, requests and their connections: they are others at each moment. */
const PASSING =
  /wasm\/(methods|port)\.|core\/(kubectl|shell|program)\.|net\/http\/pprof|net\/http\.\(\*(conn|persistConn)\)|waitUntilFresh|inprocess/;

/** Whom a token is, in words of the API server; "" if it is nobody's. */
const bearer = async (given) => {
  await sh(page, `kubectl config set-credentials bearer --token=${given}`);
  return page.evaluate(async () => {
    const { code, stdout } = await globalThis.tabernetes.shell("kubectl --user=bearer auth whoami");
    return code === 0 ? stdout : "";
  });
};

/**
 * Every goroutine there is, by the functions that it is in, and how often; and who watches what of the API. What asks
 * for it is left out, and so are calls of the page, which are others after a reload, and connections.
 */
async function running() {
  const profile = await sh(page, "kubectl get --raw '/debug/pprof/goroutine?debug=1'");
  const goroutines = {};
  for (const block of profile.split("\n\n").slice(0, -1)) {
    const count = Number(/^(\d+) @/m.exec(block)?.[1] ?? 0);
    const stack = [...block.matchAll(/^#\s+0x[0-9a-f]+\s+(\S+)\+0x/gm)].map(([, name]) => name);
    if (count === 0 || stack.length === 0) continue;
    if (PASSING.test(stack.join())) continue;
    // What it was begun as: where in it it waits is of the moment.
    const key = stack.at(-1);
    goroutines[key] = (goroutines[key] ?? 0) + count;
  }
  const metrics = await sh(page, "kubectl get --raw /metrics");
  const watches = {};
  for (const [, labels, value] of metrics.matchAll(
    /^apiserver_longrunning_requests\{(.*verb="WATCH".*)\} (\d+)$/gm,
  )) {
    if (Number(value) > 0) watches[labels] = Number(value);
  }
  return { goroutines, watches };
}

/** The same once it is so for a while: some parts of a control plane begin later than it is ready. */
async function settled() {
  let last = await running();
  for (const end = Date.now() + PATIENCE; Date.now() < end;) {
    await delay(5000);
    const now = await running();
    if (others(last, now).length === 0) return now;
    last = now;
  }
  return last;
}

/** What is otherwise in two of them. */
const others = (one, other) => [
  ...between(one.goroutines, other.goroutines),
  ...between(one.watches, other.watches),
];

/** How often each is there, where that is otherwise. */
function between(before, after) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .map((name) => [name, before[name] ?? 0, after[name] ?? 0])
    .filter(([, one, other]) => one !== other);
}

let was;

test("it goes on: the same pods, none of them started again", async (t) => {
  await page.goto(site.url);
  await ready(page);
  await sh(page, "kubectl create deployment web --image=nginx --replicas=2");
  await sh(page, "kubectl rollout status deployment web");
  was = await pods();
  const before = await settled();
  const { bytes, copied, wrote, named } = await imageKept(page);
  assert.ok(named > 0 && named < NAMED, `Go holds ${named} values of JavaScript`);
  t.diagnostic(`${named} values of JavaScript with names`);
  t.diagnostic(
    `${(bytes / 1e6).toFixed(0)} MB, copied in ${copied.toFixed(0)} ms, written in ${wrote.toFixed(0)} ms`,
  );
  // Written after it: whoever watches in the program that goes on is told.
  await sh(page, "kubectl create namespace team");
  await sh(page, "kubectl create role reader --verb=get --resource=pods -n team");
  await sh(page, "kubectl create rolebinding ann --role=reader --user=ann -n team");
  const said = await reload();
  // The one that it went on from is the one that counts.
  const kept = await clusters().getByText("Its memory was kept").innerText();
  assert.match(kept, new RegExp(`ago: ${Math.round(bytes / 1e6)} MB\\.$`));
  assert.match(said, /gone on from memory: \d+ MB read in .* with \d+ later writes/);
  assert.equal(await pods(), was);
  assert.match(was, / 0 .* 0 /);
  // Moments to go back to that were taken after it are there, too.
  const moments = await page.evaluate(() => globalThis.tabernetes.checkpoints());
  assert.ok(
    moments.some(({ why }) => why.startsWith("kubectl create rolebinding ann")),
    JSON.stringify(moments.map(({ why }) => why)),
  );
  assert.equal(
    await sh(page, "kubectl auth can-i get pods -n team --as=ann"),
    "yes\n",
    "the authorizer has not heard of a role that was made after the image",
  );
  await sh(page, "kubectl exec deploy/web -- true");
  await sh(page, "kubectl get --raw /readyz");
  // Each goroutine, timer and watch of then is there, and no other: until what was asked just now has ended.
  let other;
  await until(
    async () => {
      other = others(before, await running());
      return other;
    },
    (differences) => differences.length === 0,
  ).catch(() => assert.deepEqual(other, []));
});

test("a second run of the same image, a day later, gives nothing out that the first one did", async () => {
  const first = await report(page);
  assert.equal(first.written, 0);
  const given = [await generated(), await generated(), await token()];
  assert.match(await bearer(given[2]), /serviceaccount:default:default/);
  // From here on every page and Worker is there a day later.
  await page.addInitScript(ahead, { wall: DAY_MS });
  await beforeWorkers(page, ahead, { wall: DAY_MS });
  assert.match(await reload(), /gone on from memory/);
  assert.equal((await report(page)).from, first.from, "it is another image");
  const again = [await generated(), await generated(), await token()];
  const words = [...given, ...again].flatMap((text) => text.split(" "));
  assert.equal(new Set(words).size, words.length, words.join("\n"));
  const revision = (text) => Number(text.split(" ")[2]);
  const [rev, later] = [revision(given[1]), revision(again[0])];
  assert.ok(later > rev, `revision ${later} after ${rev}`);
  const names = await sh(page, "kubectl get configmaps -o name");
  for (const text of given.slice(0, 2))
    assert.ok(names.includes(text.split(" ")[0]), `${text} is lost`);
  const [now] = (await sh(page, "date +%s")).split("\n");
  assert.ok(Number(now) > (Date.now() + DAY_MS / 2) / 1000, "it is not a day later there");
  // Nobody was found gone, no container was started again; what had an end has come to it.
  assert.equal(await pods(), was);
  await sh(page, "kubectl wait --for=condition=Ready node --all --timeout=60s");
  assert.equal(await bearer(given[2]), "", "a token of an hour is taken a day later");
  assert.match(await bearer(again[2]), /serviceaccount:default:default/);
});

test("what runs goes on working: a Deployment grows, and its pods have UIDs of their own", async () => {
  await sh(page, "kubectl scale deployment web --replicas=4");
  await sh(page, "kubectl rollout status deployment web");
  const uids = (await pods()).split(" ").filter((word) => word.length > 30);
  assert.equal(new Set(uids).size, 4);
  for (const uid of was.split(" ").filter((word) => word.length > 30))
    assert.ok(uids.includes(uid));
});

test("one flipped byte, and it starts anew, which is said", async () => {
  const flipped = await inCluster(page, async () => {
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle("tabernetes");
    const folder = await all.getDirectoryHandle("resumed");
    let count = 0;
    for (const name of ["image-0", "image-1"]) {
      const entry = await folder.getFileHandle(name).catch(() => undefined);
      if (!entry) continue;
      const file = await entry.createSyncAccessHandle();
      const at = Math.floor(file.getSize() / 2);
      const byte = new Uint8Array(1);
      file.read(byte, { at });
      byte[0] ^= 1;
      file.write(byte, { at });
      file.close();
      count++;
    }
    return count;
  });
  assert.ok(flipped > 0, "there is no image");
  assert.match(
    await reload(),
    /started anew, not from memory: the image of its memory is damaged: a part of it is not as it was written/,
  );
  await sh(page, "kubectl rollout status deployment web");
});

test("a pod that came after the image has the cluster start anew, which is said", async () => {
  await imageKept(page);
  await sh(page, "kubectl run late --image=nginx");
  await sh(page, "kubectl wait --for=condition=Ready pod/late --timeout=60s");
  assert.match(await reload(), /started anew, not from memory: a pod came, went or changed/);
  await sh(page, "kubectl wait --for=condition=Ready pod/late --timeout=90s");
});

const images = async () =>
  Object.entries(await filesOf(page, "resumed")).filter(([name]) => name.startsWith("image-"));

test("storage that is full while an image is written: that is said, and the cluster runs on", async () => {
  const { origin } = new URL(site.url);
  const session = await context.newCDPSession(page);
  const { usage } = await session.send("Storage.getUsageAndQuota", { origin });
  // It looks for room first, and is told that there is plenty.
  await inCluster(page, () => {
    navigator.storage.estimate = () => Promise.resolve({ quota: 1e12, usage: 0 });
  });
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: usage + 20_000_000 });
  await sh(page, "kubectl create configmap changed");
  const { why } = await until(
    () => report(page),
    ({ why }) => why !== undefined,
  );
  assert.match(why, /quota|space|written/i);
  const said = await clusters().getByText("None could be kept").innerText();
  assert.match(said, /ago: the browser's storage for this page is full: delete clusters/);
  await sh(page, "kubectl create configmap while-full");
  await session.send("Storage.overrideQuotaForOrigin", { origin });
  await reload();
  await sh(page, "kubectl get configmap changed while-full");
});

test("a copy and a file of the cluster are without its memory", async () => {
  await sh(page, "kubectl create configmap before-a-copy");
  await imageKept(page);
  assert.ok((await images()).length > 0);
  await page.evaluate(() => (location.hash = "#/clusters"));
  const view = page.locator("tn-clusters");
  await view.getByLabel("Name of the copy").fill("copied");
  await view.getByRole("button", { name: "Keep a copy" }).click();
  await view.getByText("copied has all objects").waitFor();
  assert.deepEqual(
    Object.keys(await filesOf(page, "copied")).filter((name) => /^(image|checkpoints)-/.test(name)),
    [],
  );
  await view.getByLabel("with Secrets and keys").check();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    view.getByRole("button", { name: "Export a file" }).click(),
  ]);
  const exported = execFileSync("tar", ["-tf", await file.path()], { encoding: "utf8" });
  assert.match(exported, /journal/);
  assert.doesNotMatch(exported, /image-|checkpoints-/);
});

test("a hub that is dialled has the image deleted, reached or not", async () => {
  await page.evaluate(() =>
    sessionStorage.setItem("tabernetes.hub", JSON.stringify({ secret: "s", name: "nobody" })),
  );
  await reload();
  await until(images, (left) => left.length === 0);
  await page.evaluate(() => sessionStorage.removeItem("tabernetes.hub"));
  assert.doesNotMatch(await reload(), /from memory/);
});

test("a cluster whose memory is not kept any more has none lying there", async () => {
  await imageKept(page);
  assert.ok((await images()).length > 0);
  await page.evaluate(() => sessionStorage.setItem("resume", "off"));
  await page.reload();
  await ready(page);
  await until(images, (left) => left.length === 0);
});

test("where the nodes' disks cannot be opened there is never an image, and it is said why", async () => {
  await page.evaluate(async () => {
    sessionStorage.setItem("resume", "on");
    sessionStorage.setItem("cluster", "diskless");
    const all = await (await navigator.storage.getDirectory()).getDirectoryHandle("tabernetes");
    const folder = await all.getDirectoryHandle("diskless", { create: true });
    await folder.getDirectoryHandle("disk-00000001", { create: true });
  });
  await page.reload();
  await ready(page);
  await page.evaluate(() => (location.hash = "#/clusters"));
  const said = await clusters().getByText("None can be kept").innerText();
  assert.match(said, /the files of its nodes are not kept, which it would go on with: /);
});
