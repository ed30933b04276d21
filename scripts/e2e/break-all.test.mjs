/*
 * Each thing to break and each riddle (web/breakage), by its buttons, side by side in one tab: it shows what it
 * promises, says why, and is mended. All of them in the long lane; else one of each kind.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import { DESKTOP, PHONE, screenshot, sh, terminalText } from "./browser.mjs";
import { settled, until } from "./look.mjs";
import { runStep } from "./table.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");
const read = (name) => parse(readFileSync(`web/breakage/${name}.yaml`, "utf8"));
const LONG = Boolean(process.env.TABERNETES_LONG);
/** Longer than any of upstream's waits that stand between a click and what it is to show. */
const PATIENCE = 120_000;

/** What the page says of it beside its buttons, where a pod or a node is in trouble. */
const SAYS = {
  "crash-loop": /Container busybox ended with code 7/,
  "bad-image": /The image .*nginx:nope of container nginx cannot be pulled/,
  "pull-secret": /its pull secret regcred is not there/,
  "too-big": /not enough CPU left \(it asks for 64\)/,
  taint: /ha(ve|s) a taint/,
  claim: /a claim of it is not bound to a volume yet/,
  readiness: /The readiness probe of container web fails/,
  liveness: /liveness probe/,
  startup: /startup probe/,
  oom: /wanted more memory than its limit of 100Mi and was killed/,
  disk: /The pod was evicted: Pod ephemeral local storage usage exceeds/,
  "node-short-of-disk": /short of disk|low on resource: ephemeral-storage/,
  rollout: /nginx:nope of container web cannot be pulled/,
  drain: /It is cordoned: no further pods are placed on it/,
};

/** What make test has time for: one of each group, and what ends with a failure that it is there to show. */
const SHORT = ["bad-image", "taint", "oom", "drain", "denied"];
const SHORT_RIDDLES = ["secret"];

const ofNode = ({ unplug, disk }) => Boolean(unplug || disk);

async function look(page, what) {
  await page.evaluate(() => (location.hash = "#/map"));
  await page.locator("tn-map").waitFor();
  await page.evaluate((what) => (location.hash = `#/break?what=${what}`), what);
  await page.locator(`tn-break #title-${what}[aria-expanded=true]`).waitFor();
}

const button = (page, name) => page.locator("tn-break").getByRole("button", { name, exact: true });

const prompts = (text) => text.match(/^\$/gm)?.length ?? 0;

/** Does something that types lines, all at once, and waits until the prompt has come back. */
async function typing(page, act, lines = 1) {
  const before = prompts(await terminalText(page));
  await act();
  if (lines === 0) return;
  await until(
    page,
    (text) => prompts(text) > before && text.trimEnd().endsWith("$"),
    () => terminalText(page),
    PATIENCE,
  );
}

/** The steps of a scenario, with the node that the page has chosen, in a shell of their own. */
async function sees(page, steps) {
  const lines = await page
    .locator("tn-break pre[aria-label='Lines that break it']")
    .textContent({ timeout: 5000 });
  const node = /\bnode-\d+\b/.exec(lines)?.[0] ?? "";
  const name = (texts) => texts?.map((text) => text.replaceAll("{{node}}", node));
  const execute = (line) =>
    page.evaluate((text) => globalThis.tabernetes.shell(text, { session: "sees" }), line);
  for (const step of steps) {
    const { match, absent, run } = step;
    const [line] = name([run]);
    await runStep({ ...step, run: line, match: name(match), absent: name(absent) }, execute);
  }
}

async function broken(page, one) {
  await look(page, one.name);
  await typing(page, () => button(page, "Break it").click());
}

async function seen(page, one) {
  await look(page, one.name);
  await sees(page, one.seen);
  if (SAYS[one.name]) {
    const now = page.locator("tn-break .now");
    await now.getByText(SAYS[one.name]).first().waitFor({ timeout: PATIENCE });
  }
  await settled(page);
  await screenshot(
    page,
    `break-${one.name}-${page.viewportSize().width < 500 ? "phone" : "desktop"}`,
  );
}

async function mended(page, one) {
  await look(page, one.name);
  await sees(page, one.mended);
  await typing(page, () => button(page, "Clean up").click());
}

async function breakAndMend(page, all) {
  for (const one of all) await broken(page, one);
  for (const [i, one] of all.entries()) {
    // Every fourth as a phone has it.
    await page.setViewportSize(i % 4 === 3 ? PHONE.viewport : DESKTOP.viewport);
    await seen(page, one);
  }
  await page.setViewportSize(DESKTOP.viewport);
  for (const one of all) {
    await look(page, one.name);
    await typing(page, () => button(page, "Mend it").click(), one.mend.length);
  }
  for (const one of all) await mended(page, one);
}

test("things to break, seen, said and mended by their buttons", async (t) => {
  const page = await site.visit(t, "break");
  const all = read("scenarios");
  assert.equal(
    await page.locator("tn-break button.title").count(),
    all.length + read("riddles").length,
  );
  const calm = all.filter((one) => (LONG ? !ofNode(one) : SHORT.includes(one.name)));
  if (LONG) {
    // Pods of the others would be on their nodes: they come first.
    await sh(page, "minikube node add; minikube node add");
    await breakAndMend(page, all.filter(ofNode));
  }
  await breakAndMend(page, calm);
  await until(
    page,
    (names) => !/broken-/.test(names),
    () => sh(page, "kubectl get namespaces -o name"),
    PATIENCE,
  );
  assert.deepEqual(await page.evaluate(() => globalThis.violated), []);

  await t.test("riddles", async () => {
    const riddles = read("riddles").filter(({ name }) => LONG || SHORT_RIDDLES.includes(name));
    const riddle = page.locator("tn-riddle");
    const press = (name) => riddle.getByRole("button", { name, exact: true }).click();
    const says = (text) =>
      riddle.getByRole("status").filter({ hasText: text }).waitFor({ timeout: PATIENCE });
    for (const { name } of riddles) {
      await look(page, `riddle-${name}`);
      await typing(page, () => press("Begin"));
      await press("Check");
      await says("Not yet: it is still wrong.");
    }
    for (const { solution } of riddles) for (const line of solution) await sh(page, line);
    for (const { name, hints } of riddles) {
      await look(page, `riddle-${name}`);
      await press(`Hint 1 of ${hints.length}`);
      await until(
        page,
        (text) => /Solved in .*, with one hint\./.test(text),
        async () => {
          const check = riddle.getByRole("button", { name: "Check", exact: true });
          if ((await check.count()) > 0)
            await check.click({ timeout: 5000 }).catch(() => undefined);
          return riddle.getByRole("status").innerText();
        },
        PATIENCE,
      );
      await screenshot(page, `break-riddle-${name}-desktop`);
      await press("Clean up");
    }
  });
});
