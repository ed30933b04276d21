package cluster

import (
	"context"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of what Answered tells: so many addresses at once, and so often.
const (
	maxAnswered   = 256
	answeredEvery = 250 * time.Millisecond
)

// answered are those who want to hear where connections ended. Nobody pays for it while there are none.
type answered struct {
	any  atomic.Int32
	mu   sync.Mutex
	list map[*listening]struct{}
}

// listening is one of them; counts are guarded by answered.mu.
type listening struct {
	counts map[netip.Addr]int
	wake   chan struct{}
}

// note counts a connection that has come to an address.
func (a *answered) note(address string) {
	if a.any.Load() == 0 {
		return
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for one := range a.list {
		if _, known := one.counts[to.Addr()]; !known && len(one.counts) >= maxAnswered {
			continue
		}
		one.counts[to.Addr()]++
		select {
		case one.wake <- struct{}{}:
		default:
		}
	}
}

// Answered tells which addresses of the cluster answer connections that in-tab pods, the prompt, Ingresses and visitors
// make, and how many each, four times a second at most, until ctx is done or tell fails. Probes are not among them:
// kubelets dial by themselves.
func (c *Cluster) Answered(ctx context.Context, tell func(map[netip.Addr]int) error) error {
	own := &listening{counts: map[netip.Addr]int{}, wake: make(chan struct{}, 1)}
	a := &c.answered
	a.mu.Lock()
	if a.list == nil {
		a.list = map[*listening]struct{}{}
	}
	a.list[own] = struct{}{}
	a.mu.Unlock()
	a.any.Add(1)
	defer func() {
		a.any.Add(-1)
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.list, own)
	}()
	for {
		select {
		case <-own.wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		a.mu.Lock()
		counts := own.counts
		own.counts = map[netip.Addr]int{}
		a.mu.Unlock()
		if len(counts) > 0 {
			if err := tell(counts); err != nil {
				return err
			}
		}
		select {
		case <-time.After(answeredEvery):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
