package program

import (
	"context"
	"sync/atomic"
	"time"
)

// Intervals of Yield: measured on js/wasm to stop a `while true` at its deadline with all
// other timers alive, at about a fifth of the speed lost.
const (
	yieldEvery = 4 * time.Millisecond
	yieldFor   = time.Millisecond
)

// Yield returns a context whose Err sleeps 1 ms after every 4 ms of use. An interpreter that
// asks Err between instructions thereby lets everything else run: js/wasm has one thread and
// no preemption, so that a spinning goroutine would freeze the whole cluster.
func Yield(ctx context.Context) context.Context {
	return &yielding{Context: ctx, start: time.Now()}
}

type yielding struct {
	context.Context
	start time.Time
	last  atomic.Int64 // of the last sleep, nanoseconds since start
}

// Err is the parent's, after a sleep if one is due.
func (y *yielding) Err() error {
	if time.Since(y.start)-time.Duration(y.last.Load()) > yieldEvery {
		time.Sleep(yieldFor)
		y.last.Store(int64(time.Since(y.start)))
	}
	return y.Context.Err()
}
