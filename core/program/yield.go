package program

import (
	"context"
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
	return &yielding{Context: ctx, last: time.Now()}
}

type yielding struct {
	context.Context
	last time.Time // of the last sleep; a race between goroutines only shifts a sleep
}

// Err is the parent's, after a sleep if one is due.
func (y *yielding) Err() error {
	if time.Since(y.last) > yieldEvery {
		time.Sleep(yieldFor)
		y.last = time.Now()
	}
	return y.Context.Err()
}
