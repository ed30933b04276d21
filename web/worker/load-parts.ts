import { messageOf } from "../rpc/reason.ts";
import { compile } from "./compile.ts";
import { compileFault, downloadFault, LoadError } from "./fault.ts";
import type { Progress } from "./load.ts";
import type { Manifest, Part } from "./manifest.ts";
import { Meter } from "./meter.ts";
import { inOrder, PartError } from "./parts.ts";

/**
 * Of a published site: the module's brotli stream in parts, unpacked here, or the module as its service
 * worker has kept it. Throws LoadError.
 */
export async function loadParts(
  parts: readonly Part[],
  { wasm }: Manifest,
  manifestUrl: string,
  progress: Progress,
): Promise<WebAssembly.Module> {
  const kept = await fromServiceWorker(new URL(wasm.url, manifestUrl).href);
  if (kept) {
    progress({ step: "download", state: "done", loaded: 0, total: 0 });
    progress({ step: "compile", state: "started" });
    try {
      return await compile(kept);
    } catch {
      // What was kept is damaged: it is loaded as if nothing were.
    }
  }
  const total = parts.reduce((sum, { size }) => sum + size, 0);
  const meter = new Meter((loaded, note) =>
    progress({
      step: "download",
      state: "progress",
      loaded,
      total,
      ...(note === undefined ? {} : { detail: note }),
    }),
  );
  const packed = inOrder(parts, manifestUrl, (bytes) => {
    meter.add(bytes);
    if (meter.bytes === total) {
      meter.stop();
      progress({ step: "download", state: "done", loaded: total, total });
      progress({ step: "compile", state: "started" });
    }
  });
  // The compiler may tell of a broken stream in words of its own.
  let why: unknown;
  try {
    const { unpack } = await import("./unpack.ts");
    const body = await unpack(noting(packed, (error) => (why = error)));
    return await compile(new Response(body, { headers: { "content-type": "application/wasm" } }));
  } catch (error) {
    const cause = why ?? error;
    if (cause instanceof PartError || meter.bytes < total) {
      throw new LoadError(downloadFault("the cluster", messageOf(cause)));
    }
    throw new LoadError(compileFault(cause));
  } finally {
    meter.stop();
  }
}

/** The module as the service worker of a published site keeps it (web/offline); undefined if it has none. */
async function fromServiceWorker(url: string): Promise<Response | undefined> {
  // There are no caches where a page comes by plain http.
  const { caches } = globalThis as { caches?: CacheStorage };
  try {
    if (!(await caches?.match(url))) return undefined;
    // Not what the cache gave: only of a Response that was fetched the browser keeps compiled code.
    const response = await fetch(url);
    return response.ok ? response : undefined;
  } catch {
    return undefined; // storage that is refused, or no service worker in charge yet
  }
}

async function* noting<T>(
  from: AsyncGenerator<T, void>,
  note: (error: unknown) => void,
): AsyncGenerator<T, void> {
  try {
    yield* from;
  } catch (error) {
    note(error);
    throw error;
  }
}
