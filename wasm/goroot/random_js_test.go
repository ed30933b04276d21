package goroot

import (
	"math/rand/v2"
	"testing"
)

// A thread's state put back is the same run again, until it is seeded anew.
func TestReseed(t *testing.T) {
	globalBefore := globalRand
	draw := func() (drawn [64]uint64) {
		for i := range drawn {
			drawn[i] = rand.Uint64()
		}
		return drawn
	}
	if err := Reseed(); err != nil {
		t.Fatal(err)
	}
	if globalRand.state.seed == globalBefore.state.seed {
		t.Error("the source of all seeds is as it was")
	}
	seen := map[uint64]bool{}
	for range 3 {
		// As an image of the memory is: the source of seeds is as it was then.
		globalRand = globalBefore
		if err := Reseed(); err != nil {
			t.Fatal(err)
		}
		for _, n := range draw() {
			if seen[n] {
				t.Fatalf("%x was drawn twice", n)
			}
			seen[n] = true
		}
	}
}
