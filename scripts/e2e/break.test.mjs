/* Things to break and a riddle, by their buttons, and what explains them (web/breakage, web/explain). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, screenshot, SIZES, sh, terminalText } from "./browser.mjs";
import { settled, until } from "./look.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");

/** Longer than any of upstream's waits that stand between a click and what it is to show. */
const PATIENCE = 120_000;

/** Opens one of the things to break; on a phone, brings it to the front again. */
async function look(page, what) {
  await page.evaluate(() => (location.hash = "#/map"));
  await page.locator("tn-map").waitFor();
  await page.evaluate((what) => (location.hash = `#/break?what=${what}`), what);
  await page.locator(`tn-break #title-${what}[aria-expanded=true]`).waitFor();
}

/** What the terminal shows, without any space: a line may be folded in the middle of a word. */
const typed = async (page) => (await terminalText(page)).replace(/\s+/g, "");

const press = (page, name) =>
  page.locator("tn-break").getByRole("button", { name, exact: true }).click();

describe("breaking things", () => {
  for (const [size, options] of Object.entries(SIZES)) {
    test(`a crash loop, seen, explained and mended: ${size}`, async (t) => {
      const page = await site.visit(t, "break", options);
      const view = page.locator("tn-break");
      const now = view.locator(".now");
      await view.locator(".title").first().waitFor();
      await settled(page);
      await screenshot(page, `break-list-${size}`);

      await look(page, "crash-loop");
      await settled(page);
      assert.deepEqual(await violations(page), []);
      await press(page, "Break it");
      await until(
        page,
        (text) => text.includes("kubectlcreatedeploymentweb-nbroken-crash-loop"),
        () => typed(page),
        PATIENCE,
      );
      await look(page, "crash-loop");
      await now
        .getByText(/Container busybox ended with code 7, the \w+ time/)
        .waitFor({ timeout: PATIENCE });
      await settled(page);
      await screenshot(page, `break-crash-loop-${size}`);

      // Its panel has the last words of its log; what was typed at the prompt has a hint below it.
      await now.getByRole("link").first().click();
      const why = page.locator("tn-explanation .sentence");
      await why.getByText(/last words: “no database at db:5432”/).waitFor({ timeout: PATIENCE });
      await screenshot(page, `break-crash-loop-why-${size}`);
      await page.evaluate(() =>
        document.querySelector("tn-terminal").run("kubectl get pods -n broken-crash-loop"),
      );
      const hint =
        /pods\/web-[^:]+:Containerbusyboxendedwithcode7.*kubectllogsweb-.*-nbroken-crash-loop-cbusybox/;
      await until(
        page,
        (text) => hint.test(text),
        () => typed(page),
        PATIENCE,
      );
      await screenshot(page, `break-hint-${size}`);

      await look(page, "crash-loop");
      await press(page, "Mend it");
      await look(page, "crash-loop");
      await now.waitFor({ state: "detached", timeout: PATIENCE });
      await sh(page, "kubectl rollout status deployment/web -n broken-crash-loop --timeout=60s");
      await press(page, "Clean up");
    });
  }

  test("a riddle on a phone, with a hint, and the time it took", async (t) => {
    const page = await site.visit(t, "break?what=riddle-shop", PHONE);
    const riddle = page.locator("tn-riddle");
    const button = (name) => riddle.getByRole("button", { name, exact: true });
    await button("Begin").click();
    // It is posed when the first look at it is typed; a phone shows the terminal then.
    await until(
      page,
      (text) => text.includes("kubectlgetpods-nriddle-shop"),
      () => typed(page),
      PATIENCE,
    );
    await look(page, "riddle-shop");
    await button("Check").waitFor();
    await button("Check").click();
    await riddle.getByText("Not yet: it is still wrong.").waitFor();
    await button("Hint 1 of 3").click();
    await riddle.getByText("Do the pods answer at all?").waitFor();
    await settled(page);
    assert.deepEqual(await violations(page), []);
    await screenshot(page, "break-riddle-phone");
    await sh(
      page,
      `kubectl patch service shop -n riddle-shop -p '{"spec":{"ports":[{"port":80,"targetPort":80}]}}'`,
    );
    await until(
      page,
      (text) => /Solved in .*, with one hint\./.test(text),
      async () => {
        // It is gone once the riddle is solved, and waits while it is being checked.
        const check = button("Check");
        if ((await check.count()) > 0) await check.click({ timeout: 5000 }).catch(() => undefined);
        return riddle.getByRole("status").innerText();
      },
      PATIENCE,
    );
    await screenshot(page, "break-riddle-solved-phone");
  });

  test("Settings switch hints off, and a pipe has none", async (t) => {
    const page = await site.visit(t, "settings", DESKTOP);
    await sh(
      page,
      'kubectl run huge --image=nginx --overrides=\'{"spec":{"nodeSelector":{"no":"where"}}}\'',
    );
    const run = async (line) => {
      const before = prompts(await terminalText(page));
      await page.evaluate((text) => document.querySelector("tn-terminal").run(text), line);
      // A prompt more than before: the line, and what stands below it, are there.
      return until(
        page,
        (text) => prompts(text) > before,
        () => terminalText(page),
        PATIENCE,
      );
    };
    const prompts = (text) => text.match(/^\$/gm).length;
    const hint = /pods\/huge: None of 3 nodes takes it/g;
    await until(
      page,
      (text) => text.includes("huge"),
      () => sh(page, "kubectl get pods"),
      PATIENCE,
    );
    const first = await until(
      page,
      (text) => hint.test(text),
      () => run("kubectl get pods"),
      PATIENCE,
    );
    const count = first.match(hint).length;
    assert.equal((await run("kubectl get pods | cat")).match(hint).length, count);
    await page.getByLabel("Hints below kubectl get").uncheck();
    assert.equal((await run("kubectl get pods")).match(hint).length, count);
  });
});
