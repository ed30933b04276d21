/* axe-core over the page as it is drawn now (https://dequeuniversity.com/rules/axe/). */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong: the rule, and where. The terminal's own rows are xterm.js's. */
export async function violations(page) {
  await page.evaluate(source);
  return page.evaluate(async () => {
    const { violations: found } = await globalThis.axe.run({
      exclude: [[".xterm"]],
    });
    return found.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) => `${id}: ${target.flat().join(" ")}: ${failureSummary}`,
      ),
    );
  });
}
