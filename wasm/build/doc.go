// Command build makes what the page loads: the cluster as a WebAssembly module, Go's
// wasm_exec.js, and a manifest that names both by their hash.
//
//	go run ./wasm/build              out/site/assets/{tabernetes.HASH.wasm,wasm_exec.HASH.js,manifest.json}
//	go run ./wasm/build -brotli 11   and a compressed twin of the module
//
// With nothing changed it returns at once. It may import the standard library and wasm/overlay.
package main
