/*
 * Has Chromium keep the compiled code of a module that comes from the service worker's cache.
 *
 * It keeps it beside the cached file, but of each response only what V8 hands over first: a chunk, seconds
 * after the start. (Seen in Chromium 156: what V8 hands over later is written to where such a module is never
 * looked for.) So the module is asked for once more when much of what runs has been compiled: V8 knows it by
 * its bytes, compiles nothing, and hands over all that it has as soon as it has compiled a little more.
 */
import type { Answer, Ask } from "./code-worker.ts";
import { MODULE } from "./published.ts";

/**
 * When it is asked for in a visit, in milliseconds: early, for visitors who do not stay, and again when there is more to
 * hand over.
 */
const ASKED_MS = [2_000, 15_000, 60_000];
/** In so many visits it is done: what later ones compile beside that is little, and kept bit by bit. */
const VISITS = 3;
/** Gigabytes of a device that can hold the module's bytes a second time for a moment. */
const ENOUGH_GB = 4;

/** What is used here of a browser. */
export interface Browser {
  /** Undefined where it does not say what it is made of. */
  userAgentData?: { brands: readonly { brand: string }[] };
  /** Gigabytes, roughly. */
  deviceMemory?: number;
  caches: Pick<CacheStorage, "open">;
  /** Has code-worker.ts ask for the module; rejects with what went wrong there. */
  ask(url: string): Promise<void>;
  pause(milliseconds: number): Promise<void>;
}

/**
 * Has the code of the module at `url` kept, which is in the cache. Resolves when that has been asked for; nobody is
 * told of its end. Nothing is done in other browsers, which would compile it all again, nor after enough visits, which
 * are counted in the module's cache. Rejects if the module is not to be had.
 */
export async function keepCode(url: string, browser = thisBrowser()): Promise<void> {
  const { userAgentData, deviceMemory = ENOUGH_GB } = browser;
  const isChromium = userAgentData?.brands.some(({ brand }) => brand === "Chromium");
  if (!isChromium || deviceMemory < ENOUGH_GB) return;
  const cache = await browser.caches.open(MODULE);
  const visits = Number(await (await cache.match(noteOf(url)))?.text()) || 0;
  if (visits >= VISITS) return;
  let waited = 0;
  for (const at of ASKED_MS) {
    await browser.pause(at - waited);
    await browser.ask(url);
    if (waited === 0) await cache.put(noteOf(url), new Response(String(visits + 1)));
    waited = at;
  }
}

/** Where the cache has the count. A newer version's module has its own, and takes both from the cache. */
export function noteOf(url: string): string {
  return `${url}.code`;
}

function thisBrowser(): Browser {
  const { userAgentData, deviceMemory } = navigator as Navigator & Partial<Browser>;
  let worker: Worker | undefined;
  return {
    ...(userAgentData && { userAgentData }),
    ...(deviceMemory !== undefined && { deviceMemory }),
    caches: globalThis.caches,
    ask: (url) => {
      // It lives as long as the page: it holds the modules.
      const asked = (worker ??= new Worker(new URL("./code-worker.ts", import.meta.url), {
        type: "module",
      }));
      return new Promise((resolve, reject) => {
        asked.onmessage = ({ data }: MessageEvent<Answer>) =>
          data === "" ? resolve() : reject(new Error(data));
        asked.onerror = ({ message }) => reject(new Error(message || "its script did not come"));
        asked.postMessage(url satisfies Ask);
      });
    },
    pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  };
}
