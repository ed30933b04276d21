/* axe-core over the page as it is drawn (https://dequeuniversity.com/rules/axe/). */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { still } from "./look.mjs";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core objects to, as "rule: selector"; what fades in is looked at when it is there. */
export async function violations(page) {
  await still(page);
  await page.evaluate(source);
  const found = await page.evaluate(() =>
    globalThis.axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }),
  );
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.flat().join(" ")}`),
  );
}
