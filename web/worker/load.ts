import type { BootStep } from "../rpc/protocol.ts";
import { messageOf } from "../rpc/reason.ts";
import { compile } from "./compile.ts";
import { compileFault, downloadFault, LoadError, truncatedFault } from "./fault.ts";
import { loadParts } from "./load-parts.ts";
import { parseManifest, type Manifest } from "./manifest.ts";
import { Meter } from "./meter.ts";
import { webPage } from "./parts.ts";

export interface Loaded {
  module: WebAssembly.Module;
  manifest: Manifest;
}

/** A step without its time, which the worker adds. */
export type Progress = (step: Omit<BootStep, "type" | "at">) => void;

/**
 * Downloads and compiles the module named by the manifest. Both happen at once: the browser
 * compiles what has arrived.
 *
 * Throws LoadError.
 */
export async function load(manifestUrl: string, progress: Progress): Promise<Loaded> {
  progress({ step: "download", state: "started" });
  const manifest = await loadManifest(manifestUrl);
  const { parts } = manifest.wasm;
  const module = parts
    ? await loadParts(parts, manifest, manifestUrl, progress)
    : await twice((note) => loadWhole(manifest, manifestUrl, progress, note), progress);
  // It ends when the module is in memory, which takes seconds: the worker says so.
  const detail = `into memory: ${(manifest.wasm.size / 1e6).toFixed(0)} MB`;
  progress({ step: "compile", state: "progress", detail });
  return { module, manifest };
}

/** A download that broke off, of which the same may come whole the next time. */
class BrokenOff extends LoadError {}

/**
 * Once more, if a download breaks off: connections do, and a browser may end one that two tabs share
 * when one of them is closed. What breaks off twice is told.
 */
async function twice<T>(attempt: (note?: string) => Promise<T>, progress: Progress): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof BrokenOff)) throw error;
    const detail = "it broke off, once more";
    progress({ step: "download", state: "progress", detail });
    return attempt(detail);
  }
}

/**
 * Of a host that serves the module itself, compressed on the way. The network's own Response goes to
 * the compiler, because only that lets the browser keep the compiled code for the next visit; a clone
 * of it is counted.
 */
async function loadWhole(
  manifest: Manifest,
  manifestUrl: string,
  progress: Progress,
  again?: string,
): Promise<WebAssembly.Module> {
  const { size } = manifest.wasm;
  // What travels is smaller than what is compiled; the page shows what travels.
  const transfer = manifest.wasm.br ?? size;
  const url = new URL(manifest.wasm.url, manifestUrl).href;
  const response = await get(url, "the cluster");

  const meter = new Meter((bytes, note = again) =>
    progress({
      step: "download",
      state: "progress",
      loaded: Math.round((Math.min(bytes, size) / size) * transfer),
      total: transfer,
      ...(note === undefined ? {} : { detail: note }),
    }),
  );
  const counted = meter.count(response.clone()).then((result) => {
    if (result.bytes === size) {
      progress({ step: "download", state: "done", loaded: transfer, total: transfer });
      progress({ step: "compile", state: "started" });
    }
    return result;
  });

  try {
    const module = await compile(response);
    await counted;
    return module;
  } catch (error) {
    // A module that ends early also fails to compile: the count tells which of the two it was.
    const { bytes, failed } = await counted;
    if (bytes < size) throw new BrokenOff(truncatedFault(bytes, size));
    if (failed !== undefined) throw new LoadError(downloadFault("the cluster", messageOf(failed)));
    throw new LoadError(compileFault(error));
  }
}

/** What is told where another cluster has loaded the module: nothing travels. */
export function alreadyLoaded(progress: Progress): void {
  progress({ step: "download", state: "done", loaded: 0, total: 0 });
  progress({ step: "compile", state: "started" });
}

async function loadManifest(url: string): Promise<Manifest> {
  const response = await get(url, "the list of files");
  try {
    return parseManifest(await response.text());
  } catch (error) {
    throw new LoadError(downloadFault(url, `${messageOf(error)}${webPage(response)}`));
  }
}

async function get(url: string, what: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new LoadError(downloadFault(`${what} (${url})`, messageOf(error)));
  }
  if (!response.ok) {
    const status = `${response.status} ${response.statusText}`.trim();
    throw new LoadError(downloadFault(`${what} (${url})`, `the server answered ${status}`));
  }
  return response;
}
