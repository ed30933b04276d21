package cri

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/program"
)

// TestFirstTurn: a container is started when its program listens, waits or has ended, none of which it does at once
// here; one that goes on computing, and one whose caller gives up, keep nobody for longer. The clock is synctest's.
func TestFirstTurn(t *testing.T) {
	const begins, works = time.Minute, 20 * time.Millisecond
	for name, c := range map[string]struct {
		then    func(*container, *program.Process)
		give    time.Duration // when the caller gives up; 0 for never
		started time.Duration
	}{
		"listens": {started: begins + works, then: func(c *container, _ *program.Process) {
			if _, err := c.sockets.ListenPacket(t.Context(), "udp", "127.0.0.1:53"); err != nil {
				t.Error(err)
			}
		}},
		"waits": {started: begins + works, then: func(_ *container, p *program.Process) {
			child := p.Child("sleep", "2")
			child.Waits()
			child.Waits()
		}},
		"ends":        {started: begins + works, then: func(c *container, _ *program.Process) { close(c.done) }},
		"computes":    {started: begins + firstTurn, then: func(*container, *program.Process) {}},
		"is given up": {started: begins / 2, give: begins / 2, then: func(*container, *program.Process) {}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if c.give > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.give)
					defer cancel()
				}
				box := &container{done: make(chan struct{}), sockets: podnet.New(podnet.Options{}).Sockets(nil)}
				defer box.sockets.Close()
				p := &program.Process{}
				first := newTurn(p)
				begin := time.Now()
				var program sync.WaitGroup
				defer program.Wait()
				program.Go(func() {
					time.Sleep(begins) // nobody has let it begin yet
					first.of(func() int {
						time.Sleep(works)
						c.then(box, p)
						return 0
					})()
				})
				first.over(ctx, box)
				if took := time.Since(begin); took != c.started {
					t.Errorf("started after %v, want %v", took, c.started)
				}
			})
		})
	}
}
