//go:build js && wasm

package runtime

import _ "unsafe" // for go:linkname

// hostTurn gives JavaScript a turn of its event loop although goroutines are runnable; without
// it no message reaches Go until every goroutine is idle. The caller must have arranged for an
// event that calls into Go again, or nothing ever runs. It reports whether the turn is given.
//
// It does what beforeIdle does at idle: resume the goroutine of the last event whose handler
// has returned, so that it pauses the execution.
//
//go:linkname hostTurn
func hostTurn() bool {
	if len(events) == 0 {
		return false
	}
	e := events[len(events)-1]
	if !e.returned {
		return false // inside a callback, which must end first
	}
	e.returned = false // beforeIdle must not resume it a second time
	goready(e.gp, 1)
	return true
}

// hostCalled is when JavaScript's event loop last called into Go, as nanotime has it.
var hostCalled int64

// hostTurnTook is for how long Go has run since then, in nanoseconds.
//
//go:linkname hostTurnTook
func hostTurnTook() int64 { return nanotime() - hostCalled }
