package overlay

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// plan is what the kernel should have, by keys that can be compared.
type plan struct {
	routes map[netip.Prefix]route
	// neighbours: the first address of a pod CIDR → MAC; forwards: MAC → node's address.
	neighbours map[netip.Addr]string
	forwards   map[string]netip.Addr
}

type route struct {
	// kind is unix.RTN_UNICAST or RTN_UNREACHABLE.
	kind   int
	via    netip.Addr
	link   int // index
	onlink bool
	mtu    int // 0: the interface's
}

// newPlan turns ways into what the kernel needs; device is the VXLAN interface, underlay that of
// the node's own address.
func newPlan(self Peer, ways []Way, cluster []netip.Prefix, device, underlay int) plan {
	p := plan{map[netip.Prefix]route{}, map[netip.Addr]string{}, map[string]netip.Addr{}}
	for _, c := range cluster {
		if c.Addr().Is4() {
			p.routes[c.Masked()] = route{kind: unix.RTN_UNREACHABLE}
		}
	}
	for _, w := range ways {
		r := route{kind: unix.RTN_UNICAST}
		if w.MTU < podMTU(self.Endpoint) {
			r.mtu = w.MTU
		}
		switch w.Path {
		case PathRoute:
			r.via, r.link = w.IP, underlay
		case PathVXLAN:
			// The other end's interface has the subnet's first address.
			first := w.PodCIDR.Masked().Addr()
			r.via, r.link, r.onlink = first, device, true
			p.neighbours[first] = w.MAC
			p.forwards[w.MAC] = w.IP
		default:
			continue
		}
		p.routes[w.PodCIDR] = r
	}
	return p
}

func (r route) netlink(dst netip.Prefix) *netlink.Route {
	n := &netlink.Route{Dst: ipNet(dst), Protocol: Protocol, Type: r.kind, LinkIndex: r.link, MTU: r.mtu}
	if r.via.IsValid() {
		n.Gw = r.via.AsSlice()
	}
	if r.onlink {
		n.SetFlag(netlink.FLAG_ONLINK)
	}
	return n
}

// routeOf is the reverse; ok is false for what is not of the kinds above.
func routeOf(n netlink.Route) (netip.Prefix, route, bool) {
	dst, ok := prefixOf(n.Dst)
	if !ok {
		return dst, route{}, false
	}
	r := route{kind: n.Type, link: n.LinkIndex, onlink: n.Flags&int(netlink.FLAG_ONLINK) != 0, mtu: n.MTU}
	if via, ok := netip.AddrFromSlice(n.Gw); ok {
		r.via = via.Unmap()
	}
	if r.kind == unix.RTN_UNREACHABLE {
		r.link = 0
	}
	return dst, r, true
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}

func prefixOf(n *net.IPNet) (netip.Prefix, bool) {
	if n == nil {
		return netip.Prefix{}, false
	}
	addr, ok := netip.AddrFromSlice(n.IP)
	bits, _ := n.Mask.Size()
	return netip.PrefixFrom(addr.Unmap(), bits), ok
}

// reconcile makes the kernel have what the plan says, and nothing else of ours. device is 0
// where there is no VXLAN interface.
func (p plan) reconcile(device int) error {
	if err := p.reconcileForwards(device); err != nil {
		return err
	}
	if err := p.reconcileNeighbours(device); err != nil {
		return err
	}
	return p.reconcileRoutes()
}

func (p plan) reconcileRoutes() error {
	have, err := ourRoutes()
	if err != nil {
		return err
	}
	there := map[netip.Prefix]bool{}
	for _, n := range have {
		dst, r, ok := routeOf(n)
		if ok && p.routes[dst] == r && !there[dst] {
			there[dst] = true
			continue
		}
		if err := netlink.RouteDel(&n); err != nil && err != unix.ESRCH {
			return fmt.Errorf("remove the route to %s: %w", n.Dst, err)
		}
	}
	for dst, r := range p.routes {
		if there[dst] {
			continue
		}
		if err := netlink.RouteReplace(r.netlink(dst)); err != nil {
			return fmt.Errorf("make the route to %s: %w", dst, err)
		}
	}
	return nil
}

func ourRoutes() ([]netlink.Route, error) {
	rs, err := netlink.RouteListFiltered(netlink.FAMILY_V4, &netlink.Route{Protocol: Protocol}, netlink.RT_FILTER_PROTOCOL)
	if err != nil {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	return rs, nil
}
