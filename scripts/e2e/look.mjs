/* What a person sees on the page, and waiting for it. */
import { setTimeout as pause } from "node:timers/promises";

/** The text of an editor. CodeMirror draws what is in sight only; its document says all. */
export function textOf(page, selector) {
  return page.evaluate((s) => {
    const find = (root) => {
      const here = root.querySelector(s);
      if (here) return here;
      for (const e of root.querySelectorAll("*")) {
        const inside = e.shadowRoot && find(e.shadowRoot);
        if (inside) return inside;
      }
      return null;
    };
    return find(document)?.shadowRoot.querySelector(".cm-content")?.innerText ?? "";
  }, selector);
}

/** Waits until what was asked to be drawn is drawn, and nothing moves that comes to an end. */
export function still(page) {
  return page.evaluate(async () => {
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    const moving = (root) => [
      ...root.getAnimations(),
      ...[...root.querySelectorAll("*")].flatMap((e) => (e.shadowRoot ? moving(e.shadowRoot) : [])),
    ];
    for (;;) {
      await frame();
      await frame();
      const ending = moving(document).filter(
        ({ playState, effect }) =>
          playState === "running" && effect.getComputedTiming().endTime !== Infinity,
      );
      if (ending.length === 0) return;
      await Promise.allSettled(ending.map(({ finished }) => finished));
    }
  });
}

/**
 * Waits until the cluster has answered a question, and what there is then is drawn. Whatever the page had asked before is
 * answered by then, if the cluster answers in turn: the fake one does.
 */
export async function answered(page) {
  await page.evaluate(() =>
    globalThis.tabernetes.fetch("/api/v1/namespaces").then((answer) => answer.text()),
  );
  await still(page);
}

/**
 * Waits until the page is at rest: nothing moves that comes to an end, and what it draws is the same
 * before and after the cluster answers a question and two frames are drawn, twice.
 */
export async function settled(page, timeout = 30_000) {
  const end = Date.now() + timeout;
  for (let same = 0, last = ""; same < 2;) {
    if (Date.now() > end) throw new Error("the page does not come to rest");
    await answered(page);
    const now = await page.evaluate(() => {
      const drawn = (root) => [
        (root.body ?? root).innerHTML,
        ...[...root.querySelectorAll("*")].flatMap((e) =>
          e.shadowRoot ? drawn(e.shadowRoot) : [],
        ),
      ];
      // A terminal's cursor blinks for ever.
      return drawn(document)
        .join()
        .replaceAll(/ ?\bunlit\b/g, "");
    });
    same = now === last ? same + 1 : 0;
    last = now;
  }
}

/** Asks until the answer is what it should be, and returns it; an error has the last one. */
export async function until(page, what, ask, timeout = 30_000) {
  const end = Date.now() + timeout;
  let last;
  while (Date.now() < end) {
    last = await ask();
    if (what(last)) return last;
    await pause(200);
  }
  throw new Error(`it stayed ${JSON.stringify(last)}`);
}

/** Waits until no Worker runs in the page: the browser ends one a moment after it was asked to. */
export function gone(page) {
  return until(
    page,
    (workers) => workers === 0,
    () => page.workers().length,
  );
}
