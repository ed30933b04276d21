// Package methods is what the page can ask of the worker: an HTTP request to the apiserver
// (fetch), a line of the terminal (exec), and what may follow in it (complete). The shapes are
// those of Methods in web/rpc/protocol.ts.
//
// It turns a port.Call into what core understands. It may import wasm/port and all that
// the cluster is made of; it must never import wasm/jsx, so that its tests run natively.
package methods
