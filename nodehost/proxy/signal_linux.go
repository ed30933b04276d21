package proxy

import (
	"sync"

	upstream "k8s.io/kubernetes/pkg/proxy"
)

// signalling tells when the proxier has made its first rules: it does so within the later one
// of the two calls below.
type signalling struct {
	upstream.Provider
	ready chan struct{}

	mu               sync.Mutex
	services, slices bool
}

var _ upstream.Provider = (*signalling)(nil)

// OnServiceSynced is called once.
func (s *signalling) OnServiceSynced() {
	s.Provider.OnServiceSynced()
	s.synced(&s.services)
}

// OnEndpointSlicesSynced is called once.
func (s *signalling) OnEndpointSlicesSynced() {
	s.Provider.OnEndpointSlicesSynced()
	s.synced(&s.slices)
}

func (s *signalling) synced(which *bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*which = true
	if s.services && s.slices {
		close(s.ready)
	}
}
