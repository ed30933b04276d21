import { messageOf } from "../rpc/reason.ts";
import { parseManifest } from "../worker/manifest.ts";
import { keepCode } from "./code.ts";
import type { Keep } from "./keep-worker.ts";
import { installed, type Workers } from "./installed.ts";
import { MODULE } from "./published.ts";

/** How far a published site is from working without its host. */
export type Offline =
  | { is: "unknown" }
  /** Each visit needs the host; `why` says what the browser refused. */
  | { is: "refused"; why: string }
  /** All that a visit needs is in this browser. */
  | { is: "kept"; newer: boolean };

/** Bytes that have to be free beyond the module's, so that a kept cluster has room. */
const SPARE = 100 << 20;

/**
 * Registers the service worker of a published site, which lies beside its folder of `assets`, and once the cluster is
 * `ready` keeps its module, unpacked, for the next visit. Resolves with what has become of it; never rejects.
 */
export async function keepForOffline(
  ready: Promise<unknown>,
  assets: URL,
  workers = serviceWorkers(),
): Promise<Offline> {
  try {
    await ready;
    if (!workers) throw new Error(globalThis.isSecureContext ? NO_WORKER : NOT_SECURE);
    const registration = await installed(workers, new URL("../sw.js", assets));
    const module = await keepModule(new URL("manifest.json", assets));
    if (module !== undefined) void keepCodeOf(module);
    return { is: "kept", newer: registration.waiting !== null };
  } catch (error) {
    return { is: "refused", why: messageOf(error) };
  }
}

const NOT_SECURE =
  "its address is plain http, where browsers keep nothing; serve it by https, or on localhost";
const NO_WORKER =
  "this browser has no service worker here, as in some private windows; open it in an ordinary one";

/** Undefined where there are none: by plain http, and in some browsers' private windows. */
function serviceWorkers(): Workers | undefined {
  return (navigator as Partial<Navigator>).serviceWorker;
}

/** Compiled code is worth having, and no visit fails for want of it. */
async function keepCodeOf(module: string): Promise<void> {
  try {
    await keepCode(module);
  } catch (error) {
    console.warn(`The browser keeps no compiled code for the next visit: ${messageOf(error)}`);
  }
}

/** Resolves with the module's address in the cache; undefined where the host serves it whole, and nothing is kept. */
async function keepModule(manifestUrl: URL): Promise<string | undefined> {
  const response = await fetch(manifestUrl);
  const { wasm } = parseManifest(await response.text());
  if (!wasm.parts) return undefined;
  const url = new URL(wasm.url, manifestUrl).href;
  if (await (await caches.open(MODULE)).match(url)) return url;
  const { quota, usage = 0 } = await navigator.storage.estimate();
  if (quota !== undefined && quota - usage < wasm.size + SPARE) {
    const missing = Math.ceil((wasm.size + SPARE - quota + usage) / 1e6);
    throw new Error(`this browser's storage has ${missing} MB too little`);
  }
  const worker = new Worker(new URL("./keep-worker.ts", import.meta.url), { type: "module" });
  try {
    await new Promise<void>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<{ kept: boolean; why?: string }>) =>
        data.kept ? resolve() : reject(new Error(data.why));
      worker.onerror = ({ message }) => reject(new Error(message || "its script did not come"));
      const keep: Keep = { url, parts: wasm.parts ?? [], base: manifestUrl.href };
      worker.postMessage(keep);
    });
  } finally {
    worker.terminate();
  }
  return url;
}
