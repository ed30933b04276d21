/* What tests ask of a cluster whose memory is kept (ADR 52). */
import { setTimeout as delay } from "node:timers/promises";

/** For what a busy machine takes its time for, in milliseconds. */
export const PATIENCE = 120_000;

/** Runs a function in the cluster's Worker; undefined if there is none. */
export async function inCluster(page, does, argument) {
  for (const worker of page.workers()) {
    const ours = await worker.evaluate(() => "tabernetesImage" in globalThis).catch(() => false); // it has ended meanwhile
    if (ours) return worker.evaluate(does, argument);
  }
  return undefined;
}

/** What the cluster's Worker says of images. */
export const report = async (page) =>
  (await inCluster(page, () => globalThis.tabernetesImage).catch(() => undefined)) ?? {};

/** Waits until what `ask` answers is as it should be. */
export async function until(ask, isRight) {
  for (const end = Date.now() + PATIENCE; ; await delay(250)) {
    const answer = await ask();
    if (isRight(answer)) return answer;
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(answer)}`);
  }
}

export const imageKept = (page) =>
  until(
    () => report(page),
    ({ written }) => written > 0,
  );

/** The files of a cluster, with their sizes. */
export const filesOf = (page, cluster) =>
  page.evaluate(async (name) => {
    const root = await navigator.storage.getDirectory();
    const folder = await (await root.getDirectoryHandle("tabernetes")).getDirectoryHandle(name);
    const files = {};
    for await (const [file, handle] of folder.entries()) {
      const there = await handle.getFile().catch(() => undefined); // it was deleted meanwhile
      if (there) files[file] = there.size;
    }
    return files;
  }, cluster);

/**
 * Has something run before the script of the page's Workers, from the next load on: what the browser itself cannot be
 * brought to. It is a function without anything around it, called with `argument`.
 */
export const beforeWorkers = (page, does, argument) =>
  page.route(/\/page\/(keep-)?worker-[^/]*\.js$/, async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    await route.fulfill({ response, body: `(${does})(${JSON.stringify(argument)});\n${text}` });
  });

/** From when it is called on, the clocks of where it runs are so many milliseconds ahead, once. */
export function ahead({ wall, steady = 0 }) {
  if (globalThis.isAhead) return;
  globalThis.isAhead = true;
  const [date, now] = [Date.now.bind(Date), performance.now.bind(performance)];
  Date.now = () => date() + wall;
  if (steady > 0) performance.now = () => now() + steady;
}
