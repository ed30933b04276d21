package hub

import (
	"context"
	"net"
	"sync"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// Connections to addresses outside: so many of one cluster, and of all.
const (
	outsidePerCluster = 32
	maxOutside        = 256
)

// outsideShares counts them.
type outsideShares struct {
	mu   sync.Mutex
	of   map[string]int // by cluster
	open int
}

// take is false where there are too many; give gives the share back.
func (s *outsideShares) take(cluster string) (give func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[cluster] >= outsidePerCluster || s.open >= maxOutside {
		return nil, false
	}
	if s.of == nil {
		s.of = map[string]int{}
	}
	s.of[cluster]++
	s.open++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
		if s.of[cluster]--; s.of[cluster] == 0 {
			delete(s.of, cluster)
		}
	}, true
}

// leadOutside joins a stream to an address that was named. What it says the hub cannot read: TLS runs inside.
func (h *Hub) leadOutside(ctx context.Context, cluster, target string, stream net.Conn) {
	give, ok := h.outside.take(cluster)
	if !ok {
		h.opts.Log.Warn("a cluster has too many connections outside", "cluster", cluster, "to", short(target))
		return
	}
	defer give()
	to, err := h.opts.Outside.Dial(ctx, target)
	if err != nil {
		h.opts.Log.Warn("an address outside does not answer", "cluster", cluster, "to", short(target), "error", short(err.Error()))
		return
	}
	_ = tunnel.Splice(stream, to)
}
