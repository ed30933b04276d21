// Package eventually has tests wait for what happens elsewhere: in another goroutine, a cluster, another machine.
//
// It is for tests, and may import the standard library.
package eventually

import (
	"testing"
	"time"
)

const (
	// patience is what a busy machine may take for anything that a test waits for.
	patience = 3 * time.Minute
	// between two looks: what is asked for is often a request.
	between = 10 * time.Millisecond
)

// True waits until f says so. What does not come to pass in time ends the test, which what says in words.
func True(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(between) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// OK waits until f stops failing. What it said last ends the test if that takes too long.
func OK(t testing.TB, what string, f func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(patience); ; time.Sleep(between) {
		if err = f(); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v: %v", what, patience, err)
		}
	}
}
