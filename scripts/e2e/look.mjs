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

/**
 * Waits until the page is at rest: nothing moves that comes to an end, and what it draws is the same
 * before and after the cluster answers a question and two frames are drawn, twice. Whatever the page
 * had asked before is answered by then, if the cluster answers in turn: the fake one does.
 */
export function settled(page, timeout = 30_000) {
  return page.evaluate(async (patience) => {
    const roots = (root) => [
      root,
      ...[...root.querySelectorAll("*")].flatMap((e) => (e.shadowRoot ? roots(e.shadowRoot) : [])),
    ];
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    const drawn = () =>
      roots(document)
        .map((root) => (root.body ?? root).innerHTML)
        .join();
    const moving = () =>
      roots(document)
        .flatMap((root) => root.getAnimations())
        .filter(
          ({ playState, effect }) =>
            playState === "running" && effect.getComputedTiming().endTime !== Infinity,
        );
    const end = performance.now() + patience;
    for (let same = 0, last = ""; same < 2;) {
      if (performance.now() > end) throw new Error("the page does not come to rest");
      await globalThis.tabernetes.fetch("/api/v1/namespaces").then((answer) => answer.text());
      await frame();
      await frame();
      await Promise.allSettled(moving().map(({ finished }) => finished));
      const now = drawn();
      same = now === last && moving().length === 0 ? same + 1 : 0;
      last = now;
    }
  }, timeout);
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
