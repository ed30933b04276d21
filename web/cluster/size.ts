import { parseManifest } from "../worker/manifest.ts";

/** What travels for a first visit, in bytes; rejects when the list of files cannot be read. */
export async function sizeOf(manifestUrl: string): Promise<number> {
  const response = await fetch(manifestUrl);
  const { wasm } = parseManifest(await response.text());
  return wasm.br ?? wasm.size;
}
