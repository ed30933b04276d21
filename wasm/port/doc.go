// Package port is the Go end of the messages between the page and the worker: calls with
// streams, cancel and back-pressure over one MessagePort. Its typed mirror, and the document of
// the protocol, is web/rpc/protocol.ts.
//
// A handler serves one method. It is given a Call: parameters, a reader for what the page
// sends, writers for what goes back, window size and signals of a terminal, and a context that
// ends with `cancel`. Whatever happens in a handler, a panic too, the page gets exactly one
// result or error.
//
// Everything but the MessagePort itself (wire_js.go) is plain Go and tested natively. It may
// import the standard library and wasm/jsx; it must never know what the methods do.
package port
