package realnode

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/core/nodedial"
	"github.com/tabernetes/tabernetes/core/realnode/wellknown"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// routes are the addresses that lead to real nodes. What leads to one follows from all Nodes together,
// so that no order of events lets a node have what is another's.
type routes struct {
	options Options

	mu sync.Mutex
	// gathering says that not all Nodes have been heard of yet: the first one would have what is another's.
	gathering bool
	nodes     map[string]*corev1.Node // in-tab ones, too: they have pods
	cidrs     map[string][]netip.Prefix
	held      map[netip.Prefix]way
	told      map[string]string // what was last said of a node's claims
}

// way is where a prefix leads: to a node by its route at the hub. With proven the cluster proves each
// dial; a node of an earlier version could not take that, and does not ask for it.
type way struct {
	node, route string
	proven      bool
}

func newRoutes(o Options) *routes {
	return &routes{options: o, nodes: map[string]*corev1.Node{}, held: map[netip.Prefix]way{}, told: map[string]string{}}
}

// update takes a Node's route, addresses and pod CIDRs as they are now.
func (r *routes) update(n *corev1.Node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.nodes[n.Name]
	r.nodes[n.Name] = n
	if before != nil && sameClaims(before, n) {
		return // a heartbeat, most likely
	}
	if !r.gathering {
		r.settle()
	}
}

// gather has nothing lead anywhere until all Nodes are known that there are.
func (r *routes) gather() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gathering = true
}

// gathered says that they are known.
func (r *routes) gathered() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gathering = false
	r.settle()
}

func (r *routes) remove(node string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.nodes, node)
	delete(r.told, node)
	if !r.gathering {
		r.settle()
	}
}

func (r *routes) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.nodes)
	r.settle()
}

// settle gives each node its way. The caller holds mu.
func (r *routes) settle() {
	nodes := slices.SortedFunc(maps.Values(r.nodes), confine.Older)
	cidrs, refused := r.options.plan().Granted(nodes)
	r.cidrs = cidrs
	want := map[netip.Prefix]way{}
	why := map[string][]string{}
	for _, n := range nodes {
		if err := refused[n.Name]; err != nil {
			why[n.Name] = append(why[n.Name], err.Error())
		}
		if w := wayTo(n); w.route != "" {
			for _, p := range cidrs[n.Name] {
				want[p] = w
			}
		}
	}
	// Who has an address keeps it: an older node cannot come and claim it.
	for _, keep := range []bool{true, false} {
		for _, n := range nodes {
			w := wayTo(n)
			if w.route == "" {
				continue
			}
			for _, a := range addressesOf(n) {
				p := netip.PrefixFrom(a, a.BitLen())
				if keep && r.held[p].node != n.Name {
					continue
				}
				if err := confine.Address(a, r.options.own()); err != nil {
					if !keep {
						why[n.Name] = append(why[n.Name], err.Error())
					}
				} else if other, taken := want[p]; taken && other.node != n.Name {
					why[n.Name] = append(why[n.Name], fmt.Sprintf("%s is node %s's", a, other.node))
				} else {
					want[p] = w
				}
			}
		}
	}
	r.apply(want)
	for _, n := range nodes {
		if text := strings.Join(why[n.Name], "; "); text != r.told[n.Name] {
			r.told[n.Name] = text
			if text != "" {
				klog.InfoS("A node claims what it cannot have; it is not reached there", "node", n.Name, "reason", text)
			}
		}
	}
}

// whose is the node that an address of a machine leads to, "" for none.
func (r *routes) whose(a netip.Addr) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held[netip.PrefixFrom(a, a.BitLen())].node
}

// apply has the router do what is wanted, and nothing else of ours.
func (r *routes) apply(want map[netip.Prefix]way) {
	for p := range r.held {
		if _, ok := want[p]; !ok {
			r.options.Router.HandlePrefix(p, nil)
		}
	}
	for p, w := range want {
		if r.held[p] != w {
			r.options.Router.HandlePrefix(p, r.dial(w))
		}
	}
	r.held = want
}

// wayTo is the way to a real node; it has no route if the node has none, or has left.
func wayTo(n *corev1.Node) way {
	if n.Labels[wellknown.KindLabel] != wellknown.Real || n.Annotations[wellknown.LeftAnnotation] != "" {
		return way{}
	}
	return way{n.Name, n.Annotations[wellknown.RouteAnnotation], n.Annotations[wellknown.DialAnnotation] == nodedial.Target}
}

// maxAddresses is how many of a Node's addresses are looked at: a kubelet writes two or three.
const maxAddresses = 16

// addressesOf are a Node's addresses that are such; the rest are names.
func addressesOf(n *corev1.Node) (all []netip.Addr) {
	for _, a := range n.Status.Addresses[:min(len(n.Status.Addresses), maxAddresses)] {
		if addr, err := netip.ParseAddr(a.Address); err == nil {
			all = append(all, addr.Unmap())
		}
	}
	return all
}

// sameClaims says whether two states of a Node differ in nothing that settle looks at.
func sameClaims(a, b *corev1.Node) bool {
	return wayTo(a) == wayTo(b) && a.CreationTimestamp.Equal(&b.CreationTimestamp) &&
		slices.Equal(a.Spec.PodCIDRs, b.Spec.PodCIDRs) && slices.Equal(addressesOf(a), addressesOf(b))
}

// dial opens streams to a node's own addresses through the hub. With a proven way the hub sees neither
// which address it is nor what passes.
func (r *routes) dial(w way) utilnet.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if network != "tcp" {
			return nil, fmt.Errorf("dial %s at node %s: only tcp is carried, not %s", address, w.node, network)
		}
		target := address
		if w.proven {
			target = nodedial.Target
		}
		conn, err := r.options.Open(tunnel.Header{Kind: tunnel.KindDial, Target: w.route + " " + target})
		if err == nil && w.proven {
			conn, err = nodedial.Client(ctx, conn, r.options.Dialler, r.options.CA, w.node, address)
		}
		if err != nil {
			return nil, fmt.Errorf("dial %s at node %s: %w", address, w.node, err)
		}
		return conn, nil
	}
}
