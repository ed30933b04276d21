/** What the WebAssembly build leaves beside its files: assets/manifest.json. */
export interface Manifest {
  wasm: {
    /** Relative to the manifest. Its name holds a hash, so caches may keep it for ever. */
    url: string;
    /** Bytes of the module itself. */
    size: number;
    /** Bytes on the way with brotli, when a compressed twin was built. */
    br?: number;
  };
  /** Go's own wasm_exec.js, from the toolchain that built the module. */
  exec: { url: string };
}

/** Reads a manifest; throws an Error that says what is wrong with it. */
export function parseManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("it is not JSON");
  }
  const { wasm, exec } = (value ?? {}) as Partial<Manifest>;
  if (typeof wasm?.url !== "string" || typeof wasm.size !== "number") {
    throw new Error("it names no WebAssembly module");
  }
  if (typeof exec?.url !== "string") throw new Error("it names no wasm_exec.js");
  return { wasm, exec };
}
