/*
 * The guide on a phone, over the real cluster: blocks of its chapters are run with a finger, what they print
 * is seen in the terminal, and the way back leads to the chapter.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PHONE, screenshot, terminalText } from "./browser.mjs";
import { until } from "./look.mjs";
import { over } from "./visits.mjs";

const CREATE = "kubectl create deployment nginx --image=nginx --replicas=3";
/** Chapters, the beginning of one of their blocks, and what it comes to print. */
const BLOCKS = [
  ["kubectl", CREATE, /deployment\.apps\/nginx created/],
  ["authorization", "kubectl get pods --as=nobody", /User "nobody" cannot list resource "pods"/],
  ["scheduler", "kubectl run huge", /0\/3 nodes are available/],
  [
    "initializers",
    "kubectl explain initializerconfigurations",
    /the server doesn't have a resource type/,
  ],
  [
    "initializers",
    "kubectl create -f - <<'YAML' apiVersion: admissionregistration.k8s.io/v1 kind: ValidatingAdmissionPolicy",
    /validatingadmissionpolicybinding\.admissionregistration\.k8s\.io\/long-secrets created/,
  ],
];

const site = over("out/site");

test("blocks of chapters run at a touch, and what they print is seen", async (t) => {
  const page = await site.visit(t, "", { ...PHONE, viewport: { width: 360, height: 740 } });
  const guide = page.locator("tn-guide");
  const bar = page.getByRole("navigation", { name: "Panes" });
  for (const [chapter, line, printed] of BLOCKS) {
    await bar.getByRole("button", { name: "Guide" }).tap();
    const heading = guide.locator(`h3[data-name="${chapter}"]`);
    if ((await heading.getAttribute("data-open")) === null) await heading.getByRole("button").tap();
    const said = line.replaceAll(/[\n ]+/g, " ");
    const block = guide.getByRole("button", { name: `Run in the terminal: ${said}` }).first();
    await block.scrollIntoViewIfNeeded();
    if (line === CREATE) {
      // "--replicas" goes to the next line in whole: each word is one rectangle of text.
      const broken = await guide.locator("article .run .word").evaluateAll((words) =>
        words
          .filter((word) => {
            const range = document.createRange();
            range.selectNodeContents(word);
            const box = word.closest("pre");
            const wide = word.parentElement.clientWidth - 16;
            return box && word.offsetWidth < wide && range.getClientRects().length > 1;
          })
          .map((word) => word.textContent),
      );
      assert.deepEqual(broken, []);
      assert.ok((await guide.locator("article .run .word").count()) > 2);
      await screenshot(page, "guide-phone-chapter");
    }
    await block.tap();
    await page.locator("tn-terminal .xterm").first().waitFor({ state: "visible" });
    await until(
      page,
      // What is said on standard error is folded between words.
      (shown) => printed.test(shown.replaceAll("\n", " ")),
      () => terminalText(page),
      60_000,
    );
  }
  await screenshot(page, "guide-phone-terminal");
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.equal(wider, 0);
  // What the command came to stands in its chapter.
  await bar.getByRole("button", { name: "Guide" }).tap();
  await guide.locator("h3[data-name='initializers'][data-open]").waitFor();
  await screenshot(page, "guide-phone-initializers");
});
