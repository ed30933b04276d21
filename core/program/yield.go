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
	// yieldStep is the longest interval between two questions that is taken for use as it is.
	// Who has waited for input in between has used next to nothing: idleStep.
	yieldStep = time.Millisecond
	idleStep  = 100 * time.Microsecond
)

// Yield returns a context whose Err sleeps 1 ms after every 4 ms of use. An interpreter that
// asks Err between instructions thereby lets everything else run: js/wasm has one thread and
// no preemption, so that a spinning goroutine would freeze the whole cluster. All processes of
// a Cgroup have these 4 ms together, and all of its parent's too (cpu.max): a thousand of them
// use no more than one does.
func Yield(ctx context.Context) context.Context {
	y := &yielding{Context: ctx, start: time.Now()}
	if g, ok := ctx.Value(cgroupKey{}).(*Cgroup); ok {
		for ; g != nil; g = g.parent {
			y.shares = append(y.shares, &g.cpu)
		}
	}
	return y
}

// Context returns a context whose use of the thread counts for the cgroup, see Yield.
func (g *Cgroup) Context(ctx context.Context) context.Context {
	if g == nil {
		return ctx
	}
	return context.WithValue(ctx, cgroupKey{}, g)
}

// cgroupKey is under which a process's context holds its Cgroup.
type cgroupKey struct{}

type yielding struct {
	context.Context
	shares []*cpu
	start  time.Time
	asked  atomic.Int64 // when Err was last asked, nanoseconds since start
	slept  atomic.Int64 // when it last slept
}

// Err is the parent's, after a sleep if one is due: to the process itself, whatever it did for
// so long, or to its shares.
func (y *yielding) Err() error {
	now := time.Since(y.start)
	used := now - time.Duration(y.asked.Swap(int64(now)))
	if used > yieldStep {
		used = idleStep
	}
	slept := false
	for _, share := range y.shares {
		slept = share.use(used) || slept
		slept = share.throttle(y.Context, used) || slept
	}
	if !slept && now-time.Duration(y.slept.Load()) > yieldEvery {
		time.Sleep(yieldFor)
		slept = true
	}
	if slept {
		now = time.Since(y.start)
		y.asked.Store(int64(now))
		y.slept.Store(int64(now))
	}
	return y.Context.Err()
}
