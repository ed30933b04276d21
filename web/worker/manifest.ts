/** A piece of the module's brotli stream, in a published site (scripts/publish). */
export interface Part {
  /** Relative to the manifest. Its name holds a hash. */
  url: string;
  /** Bytes. */
  size: number;
  /** SHA-256 of it, in base64. */
  sha256: string;
}

/** What the WebAssembly build leaves beside its files: assets/manifest.json. */
export interface Manifest {
  wasm: {
    /** Relative to the manifest. Its name holds a hash, so caches may keep it for ever. */
    url: string;
    /** Bytes of the module itself. */
    size: number;
    /** Bytes on the way with brotli, when a compressed twin was built. */
    br?: number;
    /**
     * Where no file of the module itself is published, as hosts have limits: its brotli stream in
     * pieces, which the Worker unpacks.
     */
    parts?: readonly Part[];
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
  const { parts } = wasm;
  if (parts !== undefined && !(Array.isArray(parts) && parts.every(isPart))) {
    throw new Error("it lists parts of the module that are none");
  }
  return { wasm, exec };
}

/** The most bytes that a part may have: what it says is taken from memory before it has come. */
const MAX_PART = 32 << 20;

function isPart(value: unknown): boolean {
  const { url, size, sha256 } = (value ?? {}) as Partial<Part>;
  return (
    typeof url === "string" &&
    typeof sha256 === "string" &&
    typeof size === "number" &&
    Number.isInteger(size) &&
    size > 0 &&
    size <= MAX_PART
  );
}
