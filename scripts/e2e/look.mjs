/* What a person sees on the page, and waiting for it. */

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

/** Asks until the answer is what it should be, and returns it; an error has the last one. */
export async function until(page, what, ask, timeout = 30_000) {
  const end = Date.now() + timeout;
  let last;
  while (Date.now() < end) {
    last = await ask();
    if (what(last)) return last;
    await page.waitForTimeout(200);
  }
  throw new Error(`it stayed ${JSON.stringify(last)}`);
}
