package localaddr

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
)

// Nobody is let in but who the runtime names; a flood of strangers asks it a few times only, and one that
// does not answer leaves pods in that were known.
func TestCallers(t *testing.T) {
	pod, stranger := netip.MustParseAddr("127.9.9.9"), netip.MustParseAddr("198.51.100.7")
	if !Local(pod, nil) {
		t.Error("loopback is not this machine")
	}
	var asked atomic.Int32
	var fail atomic.Bool
	named := netip.MustParseAddr("198.51.100.8")
	c := NewCallers(netip.MustParseAddr("192.0.2.1"), func(context.Context) ([]netip.Addr, error) {
		asked.Add(1)
		if fail.Load() {
			return nil, errors.New("it is away")
		}
		return []netip.Addr{named}, nil
	})
	c.neighbour = func(netip.Addr) bool { return false }
	if !c.Local(t.Context(), named) || c.Local(t.Context(), stranger) {
		t.Error("a pod is a stranger, or a stranger a pod")
	}
	before := asked.Load()
	var flood sync.WaitGroup
	for range 200 {
		flood.Go(func() {
			if c.Local(t.Context(), stranger) {
				t.Error("a stranger is let in")
			}
		})
	}
	flood.Wait()
	if n := asked.Load() - before; n > 5 {
		t.Errorf("200 strangers at once have the runtime asked %d times", n)
	}
	fail.Store(true)
	c.at = c.at.Add(-2 * trusted)
	if !c.Local(t.Context(), named) {
		t.Error("without the runtime a pod is a stranger")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.at = c.at.Add(-2 * trusted)
	c.neighbour = func(netip.Addr) bool { return true }
	asks := asked.Load()
	if c.Local(ctx, stranger) || asked.Load() != asks {
		t.Error("for somebody on the machine's network the runtime is asked")
	}
}
