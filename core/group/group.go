package group

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Group runs components.
type Group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
}

// New returns a group, and the context of its components: it is done when ctx is, or when one has failed.
func New(ctx context.Context) (context.Context, *Group) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &Group{ctx: ctx, cancel: cancel}
}

// Go runs f. If it fails or panics, all others are to end, and Err has the error with the component's
// name; of a panic, with the stack as well.
func (g *Group) Go(component string, f func() error) {
	g.wg.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				g.End(fmt.Errorf("%s panicked: %v\n%s", component, r, debug.Stack()))
			}
		}()
		if err := f(); err != nil {
			g.End(fmt.Errorf("%s: %w", component, err))
		}
	})
}

// End tells all components to end. cause is what Err returns, if it is the first one; nil is no error.
func (g *Group) End(cause error) { g.cancel(cause) }

// Wait returns when every component has ended, by itself or because it was told to; the context is done
// then. The error is Err's.
func (g *Group) Wait() error {
	g.wg.Wait()
	g.End(nil)
	return g.Err()
}

// WaitFor waits until the context is done, and then as long as patience for the components, of which
// some cannot be ended. The error is Err's.
func (g *Group) WaitFor(patience time.Duration) error {
	<-g.ctx.Done()
	done := make(chan struct{})
	go func() { g.wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(patience):
	}
	return g.Err()
}

// Err is what has ended the group: the first failure, or nil if it was told to end, or has not.
func (g *Group) Err() error {
	if cause := context.Cause(g.ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}
