/*
 * Ten clusters, one after the other, in one page that is not ours: made, ready, disposed of. Prints what
 * the page's process holds after each. `node scripts/e2e/dispose.mjs` on the built site; ROUNDS changes
 * how many. dispose.test.mjs holds what comes of it.
 */
import { launch } from "./browser.mjs";
import { givenBack } from "./given-back.mjs";
import { serve } from "./site.mjs";

const ROUNDS = Number(process.env.ROUNDS ?? 10);

const site = await serve("out/site");
const browser = await launch(["--js-flags=--expose-gc"]);
try {
  const { after } = await givenBack(await browser.newPage(), site.url, ROUNDS, (round, bytes) =>
    console.log(`renderer_${round}_clusters ${(bytes / 1e6).toFixed(1)} MB`),
  );
  const half = after.slice(Math.floor(after.length / 2));
  console.log(`growth_of_second_half ${(half.at(-1) / half[0]).toFixed(2)} x`);
} finally {
  await browser.close();
  await site.close();
}
