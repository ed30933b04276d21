package share

import (
	"net/netip"
	"sync"
)

// Shares counts connections by the address that they are from. Both bounds have to be set.
type Shares struct {
	PerCaller, All int

	mu    sync.Mutex
	total int
	by    map[netip.Addr]int
}

// Take counts one more, or tells why there is none left; give is called when it ends, and nil if there
// is none.
func (s *Shares) Take(caller netip.Addr) (give func(), why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.by[caller] >= s.PerCaller:
		return nil, "it has as many connections as one pod may have"
	case s.total >= s.All:
		return nil, "this node's pods have as many connections as they may have together"
	}
	if s.by == nil {
		s.by = map[netip.Addr]int{}
	}
	s.by[caller]++
	s.total++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.total--
		if s.by[caller]--; s.by[caller] == 0 {
			delete(s.by, caller)
		}
	}), ""
}
