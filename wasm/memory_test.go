package main

import "testing"

func TestGarbageFallsAsTheHeapGrows(t *testing.T) {
	const mb = 1 << 20
	for alive, want := range map[int64]int64{
		0: 0, 60 * mb: 90 * mb, 96 * mb: 144 * mb, 136 * mb: 124 * mb, 256 * mb: 64 * mb, 2000 * mb: 500 * mb,
	} {
		if got := garbageAllowed(alive); got != want {
			t.Errorf("%d MiB alive: %d MiB of garbage, want %d", alive/mb, got/mb, want/mb)
		}
	}
	for alive := int64(0); alive < 1000*mb; alive += mb {
		now, next := alive+garbageAllowed(alive), alive+mb+garbageAllowed(alive+mb)
		if next < now {
			t.Fatalf("the heap shrinks from %d to %d bytes when more is alive", now, next)
		}
	}
}
