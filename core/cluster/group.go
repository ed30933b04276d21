package cluster

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// group runs components; the first that fails or panics ends all others.
type group struct {
	wg     sync.WaitGroup
	cancel context.CancelCauseFunc
}

// Go runs f; its error or panic is reported with the component's name.
func (g *group) Go(component string, f func() error) {
	g.wg.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				g.cancel(fmt.Errorf("%s panicked: %v\n%s", component, r, debug.Stack()))
			}
		}()
		if err := f(); err != nil {
			g.cancel(fmt.Errorf("%s: %w", component, err))
		}
	})
}

// Wait returns when everything has ended.
func (g *group) Wait() { g.wg.Wait() }
