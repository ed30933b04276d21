package goroot_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
)

// deep calls itself n times.
//
//go:noinline
func deep(n int) int {
	if n == 0 {
		return 0
	}
	return deep(n-1) + 1
}

// back calls itself n times, and on its way back goes down again every thousand calls: then the
// calls above are no longer on the engine's stack.
//
//go:noinline
func back(n, again int) int {
	if n == 0 {
		return 0
	}
	sum := back(n-1, again)
	if n%1000 == 0 {
		sum += deep(again)
	}
	return sum + 1
}

// large has a frame that is larger than a step of the stack.
//
//go:noinline
func large(n int) int {
	var frame [100 << 10]byte
	frame[n] = 1
	if n == 0 {
		return 0
	}
	return large(n-1) + int(frame[n])
}

// TestDeepCalls calls deeper than the engine's stack is: a million frames, and what upstream's
// decoders accept.
func TestDeepCalls(t *testing.T) {
	const n = 1_000_000
	if got := deep(n); got != n {
		t.Errorf("%d calls deep: %d", n, got)
	}
	if got := back(10_000, 100_000); got != 10_000+10*100_000 {
		t.Errorf("down again: %d", got)
	}
	if got := large(100); got != 100 {
		t.Errorf("large frames: %d", got)
	}
	// What allocates helps the collector, which looks through the stack meanwhile.
	type node struct {
		next *node
		_    [20]int
	}
	var list func(n int) *node
	list = func(n int) *node {
		x := &node{}
		if n > 0 {
			x.next = list(n - 1)
		}
		return x
	}
	for range 20 {
		list(20_000)
	}
	done := make(chan int)
	for range 3 { // each with a stack of its own, and taking turns
		go func() {
			var down func(n int) int
			down = func(n int) int {
				if n%10_000 == 0 {
					runtime.Gosched()
					runtime.GC() // shrinks and moves stacks
				}
				if n == 0 {
					return 0
				}
				return down(n-1) + 1
			}
			done <- down(100_000)
		}()
	}
	for range 3 {
		if got := <-done; got != 100_000 {
			t.Errorf("side by side: %d", got)
		}
	}
	var lists any
	if err := json.Unmarshal([]byte(strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)), &lists); err != nil {
		t.Error(err)
	}
	// New goroutines begin with stacks as large as those that were looked through lately.
	for range 20 {
		go func() { done <- deep(200_000) }()
		<-done
	}
	// A panic finds its way up.
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a deep panic is lost")
			}
		}()
		var fall func(n int) int
		fall = func(n int) int {
			if n == 0 {
				panic("at the bottom")
			}
			return fall(n-1) + 1
		}
		fall(100_000)
	}()
}
