package dex

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

const (
	// maxWaiting is how many wait at a gate; more are sent away.
	maxWaiting = 8
	// afterWrong is how long a gate stays closed after somebody was wrong.
	afterWrong = 500 * time.Millisecond
)

var errCrowd = errors.New("Too many try this at once. Try again in a few seconds.")

// gate lets in one at a time, so that who guesses is slow and leaves the others of the tab their turn.
type gate struct {
	turn    chan struct{}
	waiting atomic.Int32
	pause   time.Duration // after who was wrong
}

func newGate() *gate { return &gate{turn: make(chan struct{}, 1), pause: afterWrong} }

// enter waits for its turn, which ends with leave.
func (g *gate) enter(ctx context.Context) (leave func(wrong bool), err error) {
	defer g.waiting.Add(-1)
	if g.waiting.Add(1) > maxWaiting {
		return nil, errCrowd
	}
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return func(wrong bool) {
		if wrong {
			time.AfterFunc(g.pause, func() { <-g.turn })
			return
		}
		<-g.turn
	}, nil
}
