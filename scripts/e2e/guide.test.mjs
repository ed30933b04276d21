/*
 * The guide over the real cluster: the guide's own command is run, and what its chapters claim of it
 * is proved by steps that were told.
 */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { screenshot, sh } from "./browser.mjs";
import { issuerInAPod } from "./doors.mjs";
import { over } from "./visits.mjs";

const CREATE = "kubectl create deployment nginx --image=nginx --replicas=3";

/** Claims about what this command does not come to, the chapter of each, and what it has to run for it. */
const OTHERS = [
  ["kubectl.refused", "kubectl", "kubectl create deployment nothing"],
  ["authentication.refused", "authentication", "kubectl config set-credentials stranger"],
  [
    ["kubectl.credentials", "login.discovery", "login.token", "login.keys"],
    "authentication",
    "kubectl config set-credentials ada", // of the issuer in a pod
  ],
  [
    "authentication.accepted of Authorization",
    "authentication",
    "kubectl config set-credentials robot",
  ],
  ["authorization.forbidden", "authorization", "kubectl get pods --as=nobody"],
  ["controllers.informed of RoleBinding", "authorization", "kubectl create rolebinding viewers"],
  ["admission.refused", "admission", "kubectl create namespace small"],
  ["registry.exists", "etcd", CREATE],
  ["apiserver.request of healthz", "etcd", "kubectl get --raw /healthz"],
  ["apiserver.handler of Get", "etcd", "kubectl get deployment nginx"],
  ["apiserver.handler of List", "etcd", "kubectl get deployments -o wide"],
  ["controllers.released", "controllers", "kubectl label $(kubectl get pods"],
  ["controllers.adopted", "controllers", "kubectl label pods -l app=loose"],
  ["kubelet.event of DeadlineExceeded", "kubelet", "kubectl run short"],
  ["cri.Exec", "cri", "kubectl run together"],
  ["cri.CreateContainer of first", "startup", "kubectl run ordered"],
  ["kubelet.hook", "startup", "kubectl run hooked"],
  ["kubelet.probe", "startup", "kubectl run probed"],
  // The last: it runs a pod that reads what is typed.
  ["network.endpoints", "networking", "kubectl expose deployment nginx"],
];
/** Those of them that no block of a chapter comes to as it is. */
const ELSEWHERE = new Set([
  ...OTHERS.flatMap(([kinds]) => kinds),
  // configuration.test.mjs holds these two: somebody has to log in meanwhile, and initializers are off.
  "login.authorization",
  "initializers.waited",
  "network.ways", // real nodes: nodehost/join, and web/trace/told.test.ts
]);

const site = over("out/site");

// Seen from the page it would depend on when a command is known to be another one.
test("a claim about another command is true of any", async () => {
  const folder = "web/guide/chapters/";
  const mute = [];
  const claimed = new Set();
  for (const file of await readdir(folder)) {
    const text = await readFile(folder + file, "utf8");
    for (const [, kind, title] of text.matchAll(/\]\(step:([\w.@-]+)( "of any command")?\)/g)) {
      const proof = kind.replace("@", " of ");
      if (!ELSEWHERE.has(proof)) continue;
      claimed.add(proof);
      if (!title) mute.push(`${file}: ${kind}`);
    }
  }
  assert.deepEqual(mute, []);
  assert.deepEqual(claimed, ELSEWHERE, "each of them is a claim of a chapter's");
});

/** While the story is told slowly, the claim that is told now is marked and comes into sight, in a long chapter, too. */
async function nowIsMarked(page, guide, journey) {
  const follow = guide.getByRole("button", { name: "Follow steps" });
  if ((await follow.getAttribute("aria-pressed")) === "false") await follow.click();
  await journey.getByRole("button", { name: "Slowly" }).click();
  const pause = journey.getByRole("button", { name: "Pause" });
  if (await pause.isVisible()) await pause.click();
  await journey.getByRole("slider", { name: "Step of the command" }).fill("0");
  await guide.locator("h3[data-name='kubectl'][data-open]").waitFor();
  const marked = guide.locator("article [aria-current='step']");
  const list = guide.locator(".scroll");
  const seen = [];
  for (let step = 0; step < 40 && seen.length < 8; step++) {
    // Somebody has read on to the end of the chapter, and no hand was at the wheel.
    await list.evaluate((element) => (element.scrollTop = element.scrollHeight));
    await journey.getByRole("button", { name: "One step on" }).click();
    await page.evaluate(() => new Promise((done) => setTimeout(done, 150)));
    const marks = await marked.evaluateAll((claims) =>
      claims.map((claim) => {
        const { top, bottom } = claim.closest(".scroll").getBoundingClientRect();
        const box = claim.getBoundingClientRect();
        const { boxShadow } = getComputedStyle(claim);
        return {
          text: claim.innerText,
          shown: box.top >= top && box.bottom <= bottom,
          told: boxShadow !== "none",
        };
      }),
    );
    assert.ok(marks.length <= 1, JSON.stringify(marks));
    const [mark] = marks;
    if (!mark || mark.text === seen.at(-1)) continue;
    seen.push(mark.text);
    assert.deepEqual([mark.shown, mark.told], [true, true], mark.text);
    if (seen.length === 6) await screenshot(page, "guide-real-now");
  }
  assert.equal(seen.length, 8, seen.join(" | "));
  await journey.getByRole("button", { name: "As it happens" }).click();
}

/** A command that makes no Deployment: the last chapter says so, and has nothing of that, or of the one before it. */
async function ofAnother(page, guide) {
  const line = await page.evaluate(async () => {
    const { kubectl } = globalThis.tabernetes;
    const { stdout } = await kubectl("get pods -l app=nginx -o name");
    const of = `delete ${stdout.split("\n")[0].replace("/", " ")}`;
    await kubectl(of);
    return `kubectl ${of}`;
  });
  await guide.locator(".of", { hasText: line }).waitFor();
  await guide.locator(".of", { hasText: "a container runs after" }).waitFor({ timeout: 60_000 });
  const heading = guide.locator("h3[data-name='wrap-up']");
  await heading.getByRole("button").click();
  await guide
    .locator("article .aside", { hasText: `${line} did something else` })
    .waitFor({ timeout: 10_000 });
  assert.deepEqual(await guide.locator("a.claim").allInnerTexts(), []);
  await screenshot(page, "guide-real-another");
  await guide.locator("article .aside a").click();
  await page.locator("tn-trace tn-step h2", { hasText: line }).waitFor();
}

test("every claim of the guide is proved by its command, but those that are about others", async (t) => {
  const page = await site.visit(t);
  const guide = page.locator("tn-guide");
  await guide.getByRole("button", { name: `Run in the terminal: ${CREATE}`, exact: true }).click();
  await page.locator("tn-happened button", { hasText: "3 started" }).waitFor({ timeout: 60_000 });
  await page
    .locator("tn-happened button", { hasText: /deployment controller made rs nginx-/ })
    .waitFor();
  await page.locator("tn-happened button", { hasText: /3 pods/ }).waitFor();
  // The pods' last statuses come after their containers.
  // Asked by the API: a kubectl that waits would be the command that the guide is about.
  await page.waitForFunction(async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments/nginx";
    const { status } = await (await globalThis.tabernetes.fetch(path)).json();
    return status.readyReplicas === 3;
  });
  const unproved = [];
  // Behind the chapters is the list of words, of which none is a claim.
  for (const heading of await guide.locator('h3[data-name]:not([data-name="words"])').all()) {
    const name = await heading.getAttribute("data-name");
    if ((await heading.getAttribute("data-open")) === null) {
      await heading.getByRole("button").click();
    }
    await guide.locator(`h3[data-name="${name}"][data-open]`).waitFor();
    for (const claim of await guide.locator("span.claim").all()) {
      const kind = /\(([\w. -]+)\)$/.exec(await claim.getAttribute("title"))[1];
      if (!ELSEWHERE.has(kind)) unproved.push(`${name}: ${kind} (${await claim.innerText()})`);
    }
  }
  // The last chapter is open: its sum is what the head says, and a chapter of its table opens.
  const [, head] = /3 containers run after ([\d.]+ m?s)/.exec(
    await guide.locator(".of").innerText(),
  );
  const path = guide.locator("article table.path");
  assert.match(
    await path.locator("tfoot").innerText(),
    new RegExp(`^Until 3 containers run, by way of the last \\(nginx-\\S+\\)\\s+${head}`),
  );
  const chapters = await path.locator("tbody th").allInnerTexts();
  assert.equal(chapters[0], "kubectl");
  assert.deepEqual(chapters.slice(-3), ["Container startup", "Serving requests", "Waiting"]);
  await path.scrollIntoViewIfNeeded();
  await screenshot(page, "guide-real-path");
  // What was written back at the end is that a pod is ready, and no report before it.
  await guide.locator('article a.claim[title$="(kubelet.status of Ready)"]').click();
  await page.locator("tn-trace tn-step h2", { hasText: /: Running, ready$/ }).waitFor();
  await path.getByRole("button", { name: "Scheduler" }).click();
  await guide.locator("h3[data-name='scheduler'][data-open]").waitFor();
  await page.evaluate(() => (globalThis.location.hash = "#/trace"));
  await page.locator("tn-trace [role=treeitem]").first().waitFor();
  await screenshot(page, "guide-real-trace");
  await page.evaluate(() => (globalThis.location.hash = "#/journey"));
  const journey = page.locator("tn-journey");
  await journey.locator("rect.pod[data-started]").nth(2).waitFor();
  await screenshot(page, "guide-real-journey");
  assert.deepEqual(unproved, []);
  await nowIsMarked(page, guide, journey);
  await ofAnother(page, guide);
  // Those about others are proved by the commands that their chapters have for them.
  await sh(page, issuerInAPod);
  for (const [kinds, chapter, line] of OTHERS) {
    const open = async (name) => {
      const heading = guide.locator(`h3[data-name="${name}"]`);
      if ((await heading.getAttribute("data-open")) === null) {
        await heading.getByRole("button").click();
      }
    };
    await open(line === CREATE ? "kubectl" : chapter);
    // What stands aside is folded until it is opened, or done.
    const folded = guide
      .locator("article details.fold:not([open]) > summary")
      .filter({ hasText: "Aside:" });
    if (line.includes("credentials ada")) await folded.click();
    await guide.locator(`button[aria-label^="Run in the terminal: ${line}"]`).first().click();
    await open(chapter);
    for (const kind of [kinds].flat()) {
      const claim = guide.locator(`article a.claim[title$="(${kind})"]`);
      await claim.first().waitFor({ timeout: 60_000 });
    }
    // What it did is put above the text when it has ended, and the text goes down.
    if (line === CREATE) await guide.locator("article .legend").waitFor();
  }
  assert.deepEqual(await page.evaluate(() => globalThis.violated), []);
});
