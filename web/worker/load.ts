import type { BootStep, Fault } from "../rpc/protocol.ts";
import { compileFault, describe, downloadFault, truncatedFault } from "./fault.ts";
import { parseManifest, type Manifest } from "./manifest.ts";

/** Carries a Fault through the throw of a load that failed. */
export class LoadError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

export interface Loaded {
  module: WebAssembly.Module;
  manifest: Manifest;
}

/** A step without its time, which the worker adds. */
export type Progress = (step: Omit<BootStep, "type" | "at">) => void;

/** Milliseconds between two reports of the download. */
const REPORT_EVERY = 100;
/** Milliseconds without a byte after which the download says so. */
const STALLED_AFTER = 10_000;

/**
 * Downloads and compiles the module named by the manifest. Both happen at once: the browser
 * compiles what has arrived. The network's own Response goes to the compiler, because only that
 * lets the browser keep the compiled code for the next visit; a clone of it is counted.
 *
 * Throws LoadError.
 */
export async function load(manifestUrl: string, progress: Progress): Promise<Loaded> {
  progress({ step: "download", state: "started" });
  const manifest = await loadManifest(manifestUrl);
  const { size } = manifest.wasm;
  // What travels is smaller than what is compiled; the page shows what travels.
  const transfer = manifest.wasm.br ?? size;
  const url = new URL(manifest.wasm.url, manifestUrl).href;
  const response = await get(url, "the cluster");

  const meter = new Meter((bytes, note) =>
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
    // It ends when the module is in memory, which takes seconds: the worker says so.
    const detail = `into memory: ${(size / 1e6).toFixed(0)} MB`;
    progress({ step: "compile", state: "progress", detail });
    return { module, manifest };
  } catch (error) {
    // A module that ends early also fails to compile: the count tells which of the two it was.
    const { bytes, failed } = await counted;
    if (bytes < size) throw new LoadError(truncatedFault(bytes, size));
    if (failed !== undefined) throw new LoadError(downloadFault("the cluster", describe(failed)));
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
    throw new LoadError(downloadFault(url, describe(error)));
  }
}

async function get(url: string, what: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new LoadError(downloadFault(`${what} (${url})`, describe(error)));
  }
  if (!response.ok) {
    const status = `${response.status} ${response.statusText}`.trim();
    throw new LoadError(downloadFault(`${what} (${url})`, `the server answered ${status}`));
  }
  return response;
}

async function compile(response: Response): Promise<WebAssembly.Module> {
  if (response.headers.get("content-type")?.split(";")[0] === "application/wasm") {
    return WebAssembly.compileStreaming(response);
  }
  // A host that does not know the type of .wasm: slower and not cached, but it works.
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Counts the bytes of a body without keeping them. */
class Meter {
  readonly #report: (bytes: number, note?: string) => void;

  constructor(report: (bytes: number, note?: string) => void) {
    this.#report = report;
  }

  /** Settles when the body has ended, in whatever way; never rejects. */
  async count(response: Response): Promise<{ bytes: number; failed?: unknown }> {
    let bytes = 0;
    let lastReport = 0;
    let lastByte = performance.now();
    const watchdog = setInterval(() => {
      const silent = performance.now() - lastByte;
      if (silent > STALLED_AFTER) {
        this.#report(bytes, `waiting: nothing has arrived for ${Math.round(silent / 1000)} s`);
      }
    }, 1000);
    try {
      const reader = response.body?.getReader();
      while (reader) {
        const { done, value } = await reader.read();
        if (done) break;
        bytes += value.byteLength;
        lastByte = performance.now();
        if (lastByte - lastReport >= REPORT_EVERY) {
          lastReport = lastByte;
          this.#report(bytes);
        }
      }
      return { bytes };
    } catch (failed) {
      return { bytes, failed };
    } finally {
      clearInterval(watchdog);
    }
  }
}
