// Command wasm is the program of the tab's worker: it reads its configuration from
// globalThis.tabernetesHost (TabernetesHost in web/rpc/protocol.ts), builds the cluster of
// core/cluster, and serves the page's calls on the MessagePort that it was given.
//
// It may import everything of core and wasm. It must be built with the overlay (go run
// ./wasm/build); natively it is a stub that says so, for the sake of go vet ./... and gopls.
package main
