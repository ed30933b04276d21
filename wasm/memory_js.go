package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/tabernetes/tabernetes/wasm/memfs"
)

// defaultMemProfileRate is what runtime.MemProfileRate is if nobody says otherwise, in bytes.
const defaultMemProfileRate = 512 << 10

func init() {
	// The allocation profile walks the stack at every 512 KB. On wasm that walk fails when the
	// scheduler itself allocates (runtime.beforeIdle, on the stack of mcall: "fatal error:
	// invalid runtime symbol table"), and ends the tab. Whoever looks for what is alive asks for it all the
	// same, by GODEBUG=memprofilerate=… (scripts/tab-in-node.mjs --heap): there are few such moments.
	if runtime.MemProfileRate == defaultMemProfileRate {
		runtime.MemProfileRate = 0
	}
	memfs.Installed.SetCapacity(fileStorage)
}

// wasm memory only grows: the heap's peak stays for ever. A running cluster of three nodes needs
// bootLimit anyway, so that nothing is won by collecting before it is reached, and starting is
// mostly allocation that stays.
const (
	bootLimit = 230 << 20 // bytes, of the Go heap and what the runtime keeps beside it
	// heapLimit is where garbage is collected however little there is of it.
	heapLimit = moduleMemory - 1<<30
)

// What a module may have, of which a full one ends at once, in bytes; and who has which share of
// it. The rest is the cluster's: its store, its caches, garbage.
const (
	moduleMemory    = 4 << 30
	podMemory       = moduleMemory / 8                        // of containers: see core/program, Cgroup
	nodeStorage     = moduleMemory / 4                        // of the files of all nodes
	terminalStorage = 128 << 20                               // of the terminal's files
	fileStorage     = nodeStorage + terminalStorage + 128<<20 // of all files
	storeHistory    = 12 << 20                                // of what is past, for watches that resume
)

// growFreely lets the heap grow to bootLimit before anything is collected.
func growFreely() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(bootLimit)
}

// growSparingly is for a cluster that has started: after each collection it says how much garbage
// there may be until the next.
func growSparingly() {
	debug.SetMemoryLimit(heapLimit)
	allowGarbage()
	afterEachCollection(allowGarbage)
}

func allowGarbage() {
	alive := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(alive)
	bytes := max(int64(alive[0].Value.Uint64()), 1<<20)
	debug.SetGCPercent(int(garbageAllowed(bytes) * 100 / bytes))
}

// afterEachCollection calls f on a goroutine of the runtime's: an object that nobody holds is
// finalized by the collection, and is there again for the next.
func afterEachCollection(f func()) {
	type collected struct{ self *int }
	var finalize func(*collected)
	finalize = func(c *collected) {
		f()
		runtime.SetFinalizer(c, finalize)
	}
	runtime.SetFinalizer(&collected{new(int)}, finalize)
}
