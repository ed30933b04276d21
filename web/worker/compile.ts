/** Compiles a module while it comes. Rejects with what the browser says of it. */
export async function compile(response: Response): Promise<WebAssembly.Module> {
  if (response.headers.get("content-type")?.split(";")[0] === "application/wasm") {
    return WebAssembly.compileStreaming(response);
  }
  // A host that does not know the type of .wasm: slower and not cached, but it works.
  return WebAssembly.compile(await response.arrayBuffer());
}
