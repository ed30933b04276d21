package share

import (
	"net/netip"
	"testing"
)

// One pod that takes all it can get leaves others their share, and gives it back; nothing is kept of
// callers that have gone.
func TestOnePodHasOneShare(t *testing.T) {
	s := Shares{PerCaller: 32, All: 256}
	greedy, other := netip.MustParseAddr("10.244.7.2"), netip.MustParseAddr("10.244.7.3")
	var held []func()
	for range 10 * s.All {
		if give, _ := s.Take(greedy); give != nil {
			held = append(held, give)
		}
	}
	if len(held) != s.PerCaller {
		t.Errorf("one pod has %d connections", len(held))
	}
	give, why := s.Take(other)
	if give == nil {
		t.Fatalf("another pod has none: %s", why)
	}
	give()
	give() // twice is once
	for _, g := range held {
		g()
	}
	if s.total != 0 || len(s.by) != 0 {
		t.Errorf("after all have gone: %d, %v", s.total, s.by)
	}
	for i := range 10 * s.All {
		s.Take(netip.AddrFrom4([4]byte{10, 244, byte(i >> 8), byte(i)}))
	}
	if s.total != s.All {
		t.Errorf("all pods together have %d", s.total)
	}
}
