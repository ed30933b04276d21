package realnode

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/core/nodedial"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// maxPodDials is how many connections to in-tab pods one node may have: a fraction of what a tunnel
// carries.
const maxPodDials = 256

// podDials counts connections to in-tab pods, by node.
type podDials struct {
	mu     sync.Mutex
	byNode map[string]int
}

func (d *podDials) take(node string) (give func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byNode[node] >= maxPodDials {
		return nil, fmt.Errorf("node %s has %d connections to in-tab pods, which is as many as it may have", node, maxPodDials)
	}
	if d.byNode == nil {
		d.byNode = map[string]int{}
	}
	d.byNode[node]++
	return sync.OnceFunc(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.byNode[node]--; d.byNode[node] == 0 {
			delete(d.byNode, node)
		}
	}), nil
}

// ServePod joins a node's stream to the in-tab pod that it asks for until both have ended, and closes it.
func (s *Server) ServePod(ctx context.Context, stream net.Conn) {
	give := func() {}
	from, to, err := nodedial.AcceptPod(ctx, stream, s.options.Dialler, s.options.CA,
		func(ctx context.Context, node string, source netip.Addr, pod netip.AddrPort) (net.Conn, error) {
			as, err := s.routes.podDial(node, source, pod)
			if err != nil {
				return nil, err
			}
			taken, err := s.pods.take(node)
			if err != nil {
				return nil, err
			}
			give = taken
			return s.options.DialPod(ctx, as, pod)
		})
	defer func() { give() }()
	if err != nil {
		_ = stream.Close()
		klog.V(2).InfoS("A real node's connection to an in-tab pod is not made", "err", err)
		return
	}
	end := context.AfterFunc(ctx, func() { _, _ = from.Close(), to.Close() })
	defer end()
	_ = tunnel.Splice(from, to)
}

// podDial says from which address a node's connection to an address is made; it is refused if no in-tab
// pod can be there. What a node says of where it comes from counts if it is an address of the node's own
// pods; anything else is the node itself.
func (r *routes) podDial(node string, source netip.Addr, pod netip.AddrPort) (as netip.Addr, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.nodes[node]
	if r.options.DialPod == nil || n == nil || wayTo(n).route == "" {
		return as, fmt.Errorf("this cluster has no real node %.80q", node)
	}
	target := r.holder(pod.Addr())
	if !confine.InTab(target) || pod.Port() == 0 {
		return as, fmt.Errorf("%s is no in-tab pod's", pod)
	}
	if r.holder(source) == node {
		return source, nil
	}
	return r.ownAddress(n), nil
}

// holder is the node in whose pod CIDRs an address is, "" for none. The caller holds mu.
func (r *routes) holder(a netip.Addr) string {
	for name, cidrs := range r.cidrs {
		if slices.ContainsFunc(cidrs, func(p netip.Prefix) bool { return p.Contains(a) }) {
			return name
		}
	}
	return ""
}

// ownAddress is a node's own address that leads to it, invalid if none does. The caller holds mu.
func (r *routes) ownAddress(n *corev1.Node) netip.Addr {
	for _, a := range addressesOf(n) {
		if r.held[netip.PrefixFrom(a, a.BitLen())].node == n.Name {
			return a
		}
	}
	return netip.Addr{}
}
