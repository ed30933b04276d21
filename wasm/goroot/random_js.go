package goroot

import (
	"errors"
	"unsafe"
)

// globalRand mirrors the runtime's variable of that name (runtime/rand.go), from which each thread's state is seeded.
// The linker takes both for one, so that they must be of the same form (TestReseed).
var globalRand struct {
	lock  uintptr
	seed  [32]byte
	state struct {
		buf     [32]uint64
		seed    [4]uint64
		i, n, c uint32
	}
	init bool
}

// Reseed has the runtime begin its random numbers anew: of a program that goes on from an image of its memory, each
// run would draw the same. It is math/rand's and math/rand/v2's source; crypto/rand asks the browser each time.
func Reseed() error {
	if !globalRand.init || globalRand.lock != 0 || allm == nil {
		return errors.New("the runtime's random state is not of the form that is known")
	}
	globalRand.init = false // randinit refuses to be called twice
	randinit()
	mrandinit(allm) // wasm has one thread
	return nil
}

// What follows is the runtime's, which marks none of it for others: the program is linked with -checklinkname=0.

//go:linkname globalRand runtime.globalRand

//go:linkname allm runtime.allm
var allm unsafe.Pointer

//go:linkname randinit runtime.randinit
func randinit()

//go:linkname mrandinit runtime.mrandinit
func mrandinit(mp unsafe.Pointer)
