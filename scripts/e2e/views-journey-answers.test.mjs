/*
 * What the journey says of an object on its way, of the answer that goes back, of a Binding's line and of what others
 * wrote. Over the fake worker, which tells a small trace (web/dev/fake-trace.ts).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, screenshot } from "./browser.mjs";
import { CREATE, journeysOf, kubectl } from "./journeys.mjs";
import { settled } from "./look.mjs";
import { over } from "./visits.mjs";

const DEVICES = { desktop: DESKTOP, phone: PHONE };

const site = over("out/site-fake");
const journeyOf = journeysOf(site);

/** Goes slowly through all steps; `look` is called at each with what is said of it. */
async function through(page, journey, look) {
  await journey.getByRole("button", { name: "Slowly" }).click();
  await journey.locator("tn-growth").waitFor({ state: "attached" });
  const at = journey.getByRole("slider", { name: "Step of the command" });
  const last = Number(await at.getAttribute("max"));
  for (let i = 0; i <= last; i++) {
    await at.fill(String(i));
    await settled(page);
    await look(await journey.locator(".caption .said").innerText(), i);
  }
}

for (const [device, options] of Object.entries(DEVICES)) {
  for (const colorScheme of ["light", "dark"]) {
    test(`an object on its way is there, with whose its lines are: ${device}, ${colorScheme}`, async (t) => {
      const { page, journey } = await journeyOf(t, { ...options, colorScheme, newcomer: true });
      const grows = journey.locator("tn-growth");
      const state = grows.locator(".key .state");
      const key = grows.locator(".key li");
      const stages = [];
      await through(page, journey, async (said) => {
        assert.doesNotMatch(await grows.textContent(), /not there yet/);
        const heading = (await grows.count()) && (await grows.locator("h2 .name").textContent());
        if (!/^replicasets /.test(heading)) return;
        const stage = (await state.count()) > 0 ? await state.textContent() : "";
        if (stages.at(-1) !== stage) stages.push(stage);
        if (!/^POST replicasets/.test(said)) return;
        assert.match(await grows.locator("ol").textContent(), /kind: Replicaset/);
        assert.deepEqual(await key.allTextContents(), ["deployment controller"]);
        await screenshot(page, `journey-on-its-way-${device}-${colorScheme}`);
      });
      assert.deepEqual(stages, [
        "On its way to the API server: not stored yet.",
        "At the API server: not stored yet.",
        "",
      ]);
      assert.deepEqual(await violations(page), []);
      await screenshot(page, `journey-key-${device}-${colorScheme}`);
    });
  }

  test(`an answer goes back after its request's last step, and a Binding's line says what it is: ${device}`, async (t) => {
    const { page, journey } = await journeyOf(t, options);
    const beside = journey.locator(".caption .beside");
    const answers = new Map();
    const stood = new Set();
    let bound = 0;
    await through(page, journey, async (said, i) => {
      stood.add(JSON.stringify(await journey.locator(".stage > svg").boundingBox()));
      const has = (await beside.count()) > 0;
      const back = await journey.locator("svg polyline.answer").count();
      const codes = await journey.locator("svg > .code").allTextContents();
      const goes = has && /Then (\d+) goes back to (.+)\.$/.exec(await beside.textContent());
      assert.equal(back, goes ? 1 : 0, `step ${i}: ${said}`);
      assert.deepEqual(codes, goes ? [`◂ ${goes[1]}`] : []);
      if (goes) {
        assert.match(said, /^put /);
        // It comes the way of its request, and not from the watch cache, which is nearer.
        const way = await journey.locator("svg polyline.answer").getAttribute("points");
        const { cx, cy } = await journey
          .locator("g:has(> .station)", { hasText: "authentication" })
          .locator("circle")
          .evaluate((one) => ({ cx: one.getAttribute("cx"), cy: one.getAttribute("cy") }));
        assert.ok(way.split(" ").includes(`${cx},${cy}`), way);
        answers.set(goes[2], goes[1]);
        if (goes[2] === "kubectl") await screenshot(page, `journey-answer-${device}`);
      }
      const line = await journey.locator("svg polyline.binding").count();
      const words = await journey.locator("svg .words", { hasText: "only a name" }).count();
      assert.equal(words, line, `step ${i}`);
      if (line > 0 && bound++ === 0) await screenshot(page, `journey-binding-${device}`);
    });
    for (const who of [
      "kubectl",
      "deployment controller",
      "replicaset controller",
      "kube-scheduler",
    ])
      assert.equal(answers.get(who), "201", [...answers].join(" "));
    assert.ok(bound > 0);
    assert.equal(stood.size, 1, `the drawing moves: ${[...stood].join(" ")}`);
  });
}

test("revisions that were written between two told writes are others', by what they wrote", async (t) => {
  const { page, journey } = await journeyOf(t, DESKTOP);
  const words = [];
  await through(page, journey, async () => {
    words.push(...(await journey.locator("tn-growth .said").allInnerTexts()));
  });
  // Of three pods one is told, and each has written.
  assert.ok(
    words.some((said) => /Revisions? \d+( to \d+)?: \d writes? to pods/.test(said)),
    words.join("\n"),
  );
  await screenshot(page, "journey-others-desktop");
});

test("as it happens a request comes back with its code, and no more than a dozen things move", async (t) => {
  const page = await site.visit(t, "journey", DESKTOP);
  await page.locator("tn-journey svg").waitFor();
  const codes = await page.evaluate(async (line) => {
    const root = document.querySelector("tn-journey").shadowRoot;
    const codes = new Set();
    const seen = new MutationObserver(() => {
      for (const code of root.querySelectorAll(".moving .code")) codes.add(code.textContent);
    });
    seen.observe(root, { childList: true, subtree: true });
    await globalThis.tabernetes.kubectl(line);
    const done = () => root.querySelectorAll("rect.pod[data-started]").length === 3;
    while (!done()) await new Promise((resolve) => requestAnimationFrame(resolve));
    seen.disconnect();
    return [...codes];
  }, CREATE);
  assert.deepEqual(codes, ["201"]);
  await kubectl(page, "get pods");
  await settled(page);
  assert.equal(await page.locator("tn-journey .moving .dot").count(), 0);
});
