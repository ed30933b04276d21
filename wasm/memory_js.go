package main

import (
	"math"
	"runtime"
	"runtime/debug"
)

func init() {
	// The allocation profile walks the stack at every 512 KB. On wasm that walk fails when the
	// scheduler itself allocates (runtime.beforeIdle, on the stack of mcall: "fatal error:
	// invalid runtime symbol table"), and ends the tab.
	runtime.MemProfileRate = 0
}

// wasm memory only grows: the heap's peak stays for ever. A running cluster of three nodes needs
// bootLimit anyway, so that nothing is won by collecting before it is reached, and starting is
// mostly allocation that stays.
const (
	bootLimit = 230 << 20 // bytes, of the Go heap and what the runtime keeps beside it
	gcPercent = 150       // afterwards: garbage allowed, as a share of what is alive
)

// growFreely lets the heap grow to bootLimit before anything is collected.
func growFreely() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(bootLimit)
}

// growSparingly is for a cluster that has started.
func growSparingly() {
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(math.MaxInt64)
}
