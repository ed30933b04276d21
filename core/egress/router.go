package egress

import (
	"context"
	"fmt"
	"net"
	"sync"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/server/egressselector"
)

// Router dials an address by its host: through the dialer registered for the host, or directly.
// In the tab a direct dial is Go's in-memory network, on which nodes and pods listen on their
// own addresses.
type Router struct {
	mu     sync.RWMutex
	routes map[string]utilnet.DialFunc
	direct utilnet.DialFunc
}

// NewRouter returns a router without routes, which dials everything directly.
func NewRouter() *Router {
	return &Router{
		routes: map[string]utilnet.DialFunc{},
		direct: (&net.Dialer{}).DialContext,
	}
}

// Handle sends every dial to host (a name or an IP) through dial; nil takes the route away.
func (r *Router) Handle(host string, dial utilnet.DialFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if dial == nil {
		delete(r.routes, host)
		return
	}
	r.routes[host] = dial
}

// DialContext dials address ("host:port") as the cluster sees it.
func (r *Router) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("dial %q: %w", address, err)
	}
	r.mu.RLock()
	dial, ok := r.routes[host]
	r.mu.RUnlock()
	if !ok {
		dial = r.direct
	}
	return dial(ctx, network, address)
}

// Selector offers the router to the apiserver for each of its kinds of egress but storage.
func (r *Router) Selector() *egressselector.EgressSelector {
	return egressselector.NewEgressSelectorWithMap(map[egressselector.EgressType]utilnet.DialFunc{
		egressselector.Cluster:      r.DialContext,
		egressselector.ControlPlane: r.DialContext,
	})
}
