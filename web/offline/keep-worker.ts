/*
 * Unpacks the module of a published site once more, and keeps it as the page's next visit takes it:
 * through the service worker, as a file that was fetched. Only of such a one a browser keeps compiled
 * code (web/offline/code.ts). In a Worker of its own, as the page and the cluster have other things to do.
 */
import type { Part } from "../worker/manifest.ts";
import { inOrder } from "../worker/parts.ts";
import { unpack } from "../worker/unpack.ts";
import { MODULE } from "./published.ts";

/** What the page sends it, once. */
export interface Keep {
  /** The address that the module would have. */
  url: string;
  parts: readonly Part[];
  /** The manifest's address, from which those of the parts are. */
  base: string;
}

addEventListener(
  "message",
  ({ data }: MessageEvent<Keep>) => {
    keep(data).then(
      () => postMessage({ kept: true }),
      (error: unknown) => postMessage({ kept: false, why: String(error) }),
    );
  },
  { once: true },
);

async function keep({ url, parts, base }: Keep): Promise<void> {
  const cache = await caches.open(MODULE);
  for (const other of await cache.keys()) {
    if (other.url !== url) await cache.delete(other); // of earlier versions
  }
  const body = await unpack(inOrder(parts, base, () => undefined));
  // A module that is not whole is not put: the stream fails, and so does this.
  await cache.put(url, new Response(body, { headers: { "content-type": "application/wasm" } }));
}
