package hub

import (
	"errors"
	"sync"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// How a cluster's streams are shared out.
const (
	// clusterStreams is how many connections of clients and nodes a cluster's tunnel carries. What is
	// left of the session's streams is for questions to the owner.
	clusterStreams = tunnel.DefaultMaxStreams - 24
	// nodeReserve of them are for nodes that the cluster has.
	nodeReserve = 256
	// leastShare is what each source may have as long as there are any.
	leastShare = 4
)

// shares are the streams of one cluster, by who holds them. A source may hold as many as it leaves
// for all others: the first gets half of them, the next one half of what is left. So one that is
// alone has plenty, and one that takes all it can get locks nobody out.
type shares struct {
	mu       sync.Mutex
	used     int
	bySource map[string]int
}

var errNoShare = errors.New("too many connections to the cluster are open from there")

// take takes a stream for a source; known says that it is a node that the cluster has. give returns
// it, once.
func (s *shares) take(source string, known bool) (give func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	free := clusterStreams - s.used
	if !known {
		free -= nodeReserve
	}
	if have := s.bySource[source]; free <= 0 || have >= free && have >= leastShare {
		return nil, errNoShare
	}
	if s.bySource == nil {
		s.bySource = map[string]int{}
	}
	s.used++
	s.bySource[source]++
	return sync.OnceFunc(func() { s.give(source) }), nil
}

func (s *shares) give(source string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used--
	if s.bySource[source]--; s.bySource[source] == 0 {
		delete(s.bySource, source)
	}
}
