package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"

	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/node/serviceproxy"
)

// ErrNoWayIn says that there is no in-tab node by whose rules an address of the cluster could be reached.
var ErrNoWayIn = errors.New("no in-tab node runs")

// Visit connects the page's browser view to a TCP address of the cluster: a Service's, a node port, an Ingress', a
// pod's. It goes the way of a client that is outside of the cluster and has routes into it, as a load balancer has: by
// the rules of a node that serves the address, which is the node itself if the address is one, to an endpoint, if
// NetworkPolicies let it. endpoint is where it ended; what is no Service's address is its own endpoint. Where a client
// would hear nothing, the error is podnet.ErrDropped, wrapped, at once; ECONNREFUSED where nobody serves.
func (c *Cluster) Visit(ctx context.Context, to netip.AddrPort) (conn net.Conn, endpoint netip.AddrPort, err error) {
	to = netip.AddrPortFrom(to.Addr().Unmap(), to.Port())
	if to.Addr().IsLoopback() || to.Addr().IsUnspecified() {
		return nil, to, fmt.Errorf("%s is no address of the cluster", to)
	}
	way, err := c.wayIn(to)
	if err != nil {
		return nil, to, err
	}
	from := visitorIP
	if way.As.IsValid() {
		from = way.As
	}
	conn, err = c.dialFromPod(ctx, from, "tcp", way.To.String())
	return conn, way.To, err
}

// wayIn is where a connection from outside goes, by the first node that has an answer.
func (c *Cluster) wayIn(to netip.AddrPort) (way podnet.Way, err error) {
	err = ErrNoWayIn
	for _, n := range c.entrances() {
		if n.ip == to.Addr() {
			return n.proxy.AtNode("tcp", visitorIP, to)
		}
	}
	for _, n := range c.entrances() {
		if way, err = n.proxy.Way("tcp", visitorIP, to); !errors.Is(err, serviceproxy.ErrElsewhere) {
			return way, err
		}
	}
	return way, err
}

// dialService connects the apiserver to an address of a Service, which a kubeconfig or an issuer's URL names, by the rules
// of an in-tab node, as those of its own machine's kube-proxy lead it elsewhere. Where a node's own endpoints only may
// serve, it is one that has some.
func (c *Cluster) dialService(ctx context.Context, network, address string) (net.Conn, error) {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, fmt.Errorf("dial a Service: %w", err)
	}
	err = ErrNoWayIn
	for _, n := range c.entrances() {
		var way podnet.Way
		if way, err = n.proxy.Way(network, apiserverIP, to); !errors.Is(err, serviceproxy.ErrElsewhere) {
			return n.proxy.Follow(ctx, apiserverIP, way, network, to, err)
		}
	}
	return nil, fmt.Errorf("dial %s, where a Service is: %w", address, err)
}

// entrances are the in-tab nodes that run, in an order of chance: a load balancer has no favourite.
func (c *Cluster) entrances() []*inTabNode {
	c.nodes.mu.Lock()
	defer c.nodes.mu.Unlock()
	var list []*inTabNode
	for _, n := range c.nodes.running {
		if n.state == NodeRunning {
			list = append(list, n.inTabNode)
		}
	}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
