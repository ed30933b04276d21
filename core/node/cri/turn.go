package cri

import (
	"context"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// firstTurn is how long StartContainer waits at most for a program that has begun: one that computes, loads
// or dials first is started like any other.
const firstTurn = 50 * time.Millisecond

// turn is the first turn that a container's program has of the processor. runc returns when the program is
// executed, and from then on a kernel runs it beside whoever asked. Here one thread runs both, and who has
// asked would go on until it waits: a postStart hook would always be before the program's first line.
type turn struct {
	begun, waits chan struct{}
}

// newTurn is the turn of p, which has not begun.
func newTurn(p *program.Process) *turn {
	t := &turn{begun: make(chan struct{}), waits: make(chan struct{})}
	p.OnWait = sync.OnceFunc(func() { close(t.waits) })
	return t
}

// of is run, which begins the turn.
func (t *turn) of(run func() int) func() int {
	return func() int {
		close(t.begun)
		return run()
	}
}

// over waits until the program of c listens, waits or has ended, or has had firstTurn.
func (t *turn) over(ctx context.Context, c *container) {
	select {
	case <-t.begun:
	case <-c.done:
	case <-ctx.Done():
	}
	// Only from here: until it has begun it had nothing of its time.
	timer := time.NewTimer(firstTurn)
	defer timer.Stop()
	select {
	case <-c.sockets.Listening():
	case <-t.waits:
	case <-c.done:
	case <-ctx.Done():
	case <-timer.C:
	}
}
