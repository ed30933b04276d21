package remote

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/remote/mark"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// routes are the addresses that lead to real nodes.
type routes struct {
	options Options

	mu     sync.Mutex
	byNode map[string]*nodeRoutes
}

type nodeRoutes struct {
	route    string
	claimed  []netip.Prefix // what the Node says
	prefixes []netip.Prefix // what of it was free
}

// update takes a Node's route, addresses and pod CIDRs as they are now.
func (r *routes) update(n *corev1.Node) {
	next := &nodeRoutes{route: n.Annotations[mark.RouteAnnotation], claimed: prefixesOf(n)}
	if next.route == "" || n.Annotations[mark.LeftAnnotation] != "" {
		r.remove(n.Name)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.byNode[n.Name]
	if before != nil && before.route == next.route && slices.Equal(before.claimed, next.claimed) {
		return
	}
	next.prefixes = slices.DeleteFunc(slices.Clone(next.claimed), func(p netip.Prefix) bool {
		other := r.owner(n.Name, p)
		if other != "" {
			klog.InfoS("A real node has an address that is taken; it cannot be reached there", "node", n.Name, "address", p, "takenBy", other)
		}
		return other != ""
	})
	r.takeAway(before)
	for _, p := range next.prefixes {
		r.options.Router.HandlePrefix(p, r.dial(n.Name, next.route))
	}
	r.byNode[n.Name] = next
}

// owner is who has an address that node would claim, "" if nobody has. The caller holds mu.
func (r *routes) owner(node string, p netip.Prefix) string {
	isPods := !p.IsSingleIP() && r.options.Pods.Overlaps(p)
	if !isPods && slices.ContainsFunc(append(r.options.Reserved, r.options.Pods), p.Overlaps) {
		return "the cluster"
	}
	for name, other := range r.byNode {
		if name != node && slices.ContainsFunc(other.prefixes, p.Overlaps) {
			return name
		}
	}
	return ""
}

func (r *routes) remove(node string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.takeAway(r.byNode[node])
	delete(r.byNode, node)
}

// takeAway is called with mu held.
func (r *routes) takeAway(n *nodeRoutes) {
	if n == nil {
		return
	}
	for _, p := range n.prefixes {
		r.options.Router.HandlePrefix(p, nil)
	}
}

func (r *routes) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, n := range r.byNode {
		r.takeAway(n)
		delete(r.byNode, name)
	}
}

// prefixesOf are a Node's addresses and pod CIDRs.
func prefixesOf(n *corev1.Node) []netip.Prefix {
	var all []netip.Prefix
	for _, a := range n.Status.Addresses {
		if addr, err := netip.ParseAddr(a.Address); err == nil {
			all = append(all, netip.PrefixFrom(addr, addr.BitLen()))
		}
	}
	for _, cidr := range n.Spec.PodCIDRs {
		if p, err := netip.ParsePrefix(cidr); err == nil {
			all = append(all, p.Masked())
		}
	}
	return all
}

// dial opens streams to a node's own addresses through the hub.
func (r *routes) dial(node, route string) utilnet.DialFunc {
	return func(_ context.Context, network, address string) (net.Conn, error) {
		if network != "tcp" {
			return nil, fmt.Errorf("dial %s at node %s: only tcp is carried, not %s", address, node, network)
		}
		conn, err := r.options.Open(tunnel.Header{Kind: tunnel.KindDial, Target: route + " " + address})
		if err != nil {
			return nil, fmt.Errorf("dial %s at node %s: %w", address, node, err)
		}
		return conn, nil
	}
}
