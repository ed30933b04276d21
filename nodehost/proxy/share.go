package proxy

import (
	"net/netip"
	"sync"
)

// All clients, nodes and pods of a cluster share one tunnel with so many streams (core/tunnel). One pod
// that opens connections and says nothing would keep everybody else out, kubelets with their leases
// among them: so each address has a share of what this node's pods may have together.
const (
	// perCaller is far above what a client needs: they speak HTTP/2 on one or two connections.
	perCaller = 32
	perNode   = 256
)

// shares counts connections by the address that they are from.
type shares struct {
	mu    sync.Mutex
	total int
	by    map[netip.Addr]int
}

// take counts one more, or tells why there is none left; give is called when it ends.
func (s *shares) take(caller netip.Addr) (give func(), why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.by[caller] >= perCaller:
		return nil, "it has as many connections as one pod may have"
	case s.total >= perNode:
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
