package egress

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/server/egressselector"
)

// Router dials an address by its host: through the dialer registered for the host, or directly.
// In the tab a direct dial is Go's in-memory network, on which nodes and pods listen on their
// own addresses.
type Router struct {
	mu       sync.RWMutex
	routes   map[string]utilnet.DialFunc
	prefixes map[netip.Prefix]route // replaced as a whole, never changed
	direct   utilnet.DialFunc
	services struct { // of Services' own addresses, for the apiserver only
		prefixes []netip.Prefix
		dial     utilnet.DialFunc
	}
	outside func(address string) utilnet.DialFunc // for the apiserver only
	dialled func(from net.Addr)
}

// route is where a prefix leads; with refused, which says why, it leads nowhere.
type route struct {
	dial    utilnet.DialFunc
	refused error
}

// NewRouter returns a router without routes, which dials everything directly.
func NewRouter() *Router {
	return &Router{
		routes: map[string]utilnet.DialFunc{},
		direct: (&net.Dialer{}).DialContext,
	}
}

// Handle sends every dial to host (a name or an IP, or one of its ports as "host:port", which goes
// first) through dial; nil takes the route away.
func (r *Router) Handle(host string, dial utilnet.DialFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if dial == nil {
		delete(r.routes, host)
		return
	}
	r.routes[host] = dial
}

// HandlePrefix sends every dial to an address in prefix through dial, unless its host has a route of
// its own; the longest prefix wins, and nil takes the route away.
func (r *Router) HandlePrefix(prefix netip.Prefix, dial utilnet.DialFunc) {
	r.handlePrefix(prefix, route{dial: dial})
}

// Refuse has every dial to an address in prefix fail with err, as HandlePrefix would; nil takes that away.
func (r *Router) Refuse(prefix netip.Prefix, err error) {
	if err == nil {
		r.handlePrefix(prefix, route{})
		return
	}
	r.handlePrefix(prefix, route{refused: err, dial: func(context.Context, string, string) (net.Conn, error) { return nil, err }})
}

// Refused is the error that dials to an address are refused with; nil if they are not. Nothing is dialled.
func (r *Router) Refused(address netip.Addr) error {
	return r.longest(address).refused
}

func (r *Router) handlePrefix(prefix netip.Prefix, to route) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := maps.Clone(r.prefixes)
	if next == nil {
		next = map[netip.Prefix]route{}
	}
	if prefix = prefix.Masked(); to.dial == nil {
		delete(next, prefix)
	} else {
		next[prefix] = to
	}
	r.prefixes = next
}

// longest is the route of the longest prefix that an address is in; the zero one if it is in none.
func (r *Router) longest(address netip.Addr) (to route) {
	r.mu.RLock()
	prefixes := r.prefixes
	r.mu.RUnlock()
	best := -1
	for prefix, of := range prefixes {
		if prefix.Bits() > best && prefix.Contains(address) {
			to, best = of, prefix.Bits()
		}
	}
	return to
}

// Route is the dialer for an address ("host:port"), nil for one that is dialled directly. The routes
// of addresses come before those of hosts, and these before those of prefixes.
func (r *Router) Route(address string) (utilnet.DialFunc, error) {
	dial, host, err := r.fixed(address)
	if err != nil || dial != nil {
		return dial, err
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return nil, nil // a name without a route
	}
	return r.longest(addr).dial, nil
}

// fixed is the route that Handle gave an address or its host, nil for none, and the host.
func (r *Router) fixed(address string) (dial utilnet.DialFunc, host string, err error) {
	host, _, err = net.SplitHostPort(address)
	if err != nil {
		return nil, "", fmt.Errorf("dial %q: %w", address, err)
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if dial = r.routes[address]; dial == nil {
		dial = r.routes[host]
	}
	return dial, host, nil
}

// dialStore dials an etcd: by a route of Handle's, or directly. Prefixes are what machines have claimed as
// nodes; one that claims an etcd's address must not get what the cluster stores there. That an etcd's
// machine is a node as well remains possible: its kubelet is dialled as any other.
func (r *Router) dialStore(ctx context.Context, network, address string) (net.Conn, error) {
	dial, _, err := r.fixed(address)
	if err != nil {
		return nil, err
	}
	if dial == nil {
		dial = r.direct
	}
	return dial(ctx, network, address)
}

// DialContext dials address ("host:port") as the cluster sees it.
func (r *Router) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	dial, err := r.Route(address)
	if err != nil {
		return nil, err
	}
	if dial != nil {
		return dial(ctx, network, address)
	}
	return r.direct(ctx, network, address)
}

// HandleServices sends what the control plane dials at the addresses of Services, which are in prefixes, by a URL or a
// kubeconfig that names one, through dial. Nobody else's dials are: pods reach Services by the rules of their node. It is called before anybody
// dials.
func (r *Router) HandleServices(dial utilnet.DialFunc, prefixes ...netip.Prefix) {
	r.services.prefixes, r.services.dial = prefixes, dial
}

func (r *Router) ofService(ip netip.Addr) bool {
	return slices.ContainsFunc(r.services.prefixes, func(prefix netip.Prefix) bool { return prefix.Contains(ip.Unmap()) })
}

// HandleOutside sends what the control plane dials at an address that leads gives a dialer for through that, unless it is a
// node's or a pod's. Nobody else's dials are. It is called before anybody dials.
func (r *Router) HandleOutside(leads func(address string) utilnet.DialFunc) { r.outside = leads }

// OnKubelet has f be called where the control plane has dialled a kubelet, by who dialled, with the address that the
// connection comes from. It is called before anybody dials.
func (r *Router) OnKubelet(f func(from net.Addr)) { r.dialled = f }

// DialAsServer is DialContext for the control plane: the apiserver, and the scheduler where it asks extenders. What fails of a Service's name says what to write in its place.
func (r *Router) DialAsServer(ctx context.Context, network, address string) (net.Conn, error) {
	if at, err := netip.ParseAddrPort(address); err == nil && r.ofService(at.Addr()) {
		return r.services.dial(ctx, network, address)
	}
	if r.outside != nil {
		if inside, err := r.Route(address); err != nil {
			return nil, err
		} else if inside == nil {
			if dial := r.outside(address); dial != nil {
				return dial(ctx, network, address)
			}
		}
	}
	conn, err := r.DialContext(ctx, network, address)
	if err != nil {
		return nil, explainName(address, err)
	}
	if _, port, _ := net.SplitHostPort(address); port == kubeletPort {
		if r.dialled != nil {
			r.dialled(conn.LocalAddr())
		}
		conn = &kubeletConn{conn}
	}
	return conn, nil
}

// Selector offers the router to the apiserver for each of its kinds of egress. Etcd's is used with
// a real etcd only: a store in this process is not dialled.
func (r *Router) Selector() *egressselector.EgressSelector {
	return egressselector.NewEgressSelectorWithMap(map[egressselector.EgressType]utilnet.DialFunc{
		egressselector.Cluster:      r.DialAsServer,
		egressselector.ControlPlane: r.DialAsServer,
		egressselector.Etcd:         r.dialStore,
	})
}
