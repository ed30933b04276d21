package join

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// group runs components; the first that fails or panics ends all others.
type group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
}

func newGroup(ctx context.Context) (context.Context, *group) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &group{ctx: ctx, cancel: cancel}
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

// endPatience is how long the components may take to end; the kubelet does not.
const endPatience = 20 * time.Second

// end waits for the components, at once if starting them has failed, and returns what went wrong first.
func (g *group) end(started error) error {
	if started != nil {
		g.cancel(started)
	}
	<-g.ctx.Done()
	done := make(chan struct{})
	go func() { g.wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(endPatience):
	}
	if cause := context.Cause(g.ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// tellState says when the tunnel comes and goes, and not at every attempt in between.
func tellState(log *slog.Logger) func(tunnel.State) {
	first, up, since := true, false, time.Now()
	return func(s tunnel.State) {
		if s.Up == up && !first {
			return
		}
		switch {
		case s.Up:
			log.Info("the cluster can be reached", "cluster", s.Welcome.Name, "after", time.Since(since).Round(time.Millisecond))
		case !first || s.Err != nil:
			log.Warn("the cluster cannot be reached; containers go on, and it is tried again", "error", s.Err)
		}
		first, up, since = false, s.Up, time.Now()
	}
}
