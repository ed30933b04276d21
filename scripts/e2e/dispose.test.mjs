/*
 * All memory of a cluster that is disposed of is given back: three in a row, ten in the long lane, in a page
 * that is not ours.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { givenBack } from "./given-back.mjs";
import { over } from "./visits.mjs";

const site = over("out/site", ["--js-flags=--expose-gc"]);

const ROUNDS = process.env.TABERNETES_LONG ? 10 : 3;
/**
 * How much more may be held after all of them than before the first, in clusters: the browser may not yet have
 * given back the last one.
 */
const LEFT = 1.5;

test(`${ROUNDS} clusters, one after the other, leave nothing behind`, async (t) => {
  await site.begun;
  const page = await site.browser.newPage();
  t.after(() => page.close());
  const { before, alive, after } = await givenBack(page, site.url, ROUNDS, (round, bytes) =>
    t.diagnostic(`after ${round} clusters: ${(bytes / 1e6).toFixed(0)} MB`),
  );
  if (before === 0) return t.skip("what a process holds is told by /proc, which is not here");
  const left = (after.at(-1) - before) / (alive - before);
  const megabytes = [before, alive, ...after].map((bytes) => (bytes / 1e6).toFixed(0));
  assert.ok(left < LEFT, `${left.toFixed(2)} clusters are left: ${megabytes.join(" ")} MB`);
});
