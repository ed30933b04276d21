package overlay

import (
	"errors"
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
	// whose: what each of these is for, the key in text → the other node's name; none is our own.
	whose map[string]string
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
	p := plan{map[netip.Prefix]route{}, map[netip.Addr]string{}, map[string]netip.Addr{}, map[string]string{}}
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
			p.whose[first.String()], p.whose[w.MAC] = w.Name, w.Name
		default:
			continue
		}
		p.routes[w.PodCIDR] = r
		p.whose[w.PodCIDR.String()] = w.Name
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

// reconcile makes the kernel have what the plan says, and nothing else of ours. device is 0 where there
// is no VXLAN interface. failed says of which nodes the kernel did not take something: an announcement
// that it refuses keeps no other node from being reached. err is about everything else.
func (p plan) reconcile(device int) (failed map[string]error, err error) {
	o := outcome{plan: p, failed: map[string]error{}}
	if device != 0 {
		o.forwards(device)
		o.neighbours(device)
	}
	o.routes()
	return o.failed, errors.Join(o.errs...)
}

// outcome is what came of a plan.
type outcome struct {
	plan
	failed map[string]error
	errs   []error
}

// say keeps an error, if it is one, about what is of a node (see plan.whose), or about none.
func (o *outcome) say(key string, err error, what string) {
	if err == nil {
		return
	}
	err = fmt.Errorf("%s %s: %w", what, key, err)
	if node, ok := o.whose[key]; ok {
		o.failed[node] = errors.Join(o.failed[node], err)
	} else {
		o.errs = append(o.errs, err)
	}
}

func (o *outcome) routes() {
	have, err := ourRoutes()
	if err != nil {
		o.errs = append(o.errs, err)
		return
	}
	there := map[netip.Prefix]bool{}
	for _, n := range have {
		dst, r, ok := routeOf(n)
		if ok && o.plan.routes[dst] == r && !there[dst] {
			there[dst] = true
			continue
		}
		if err := netlink.RouteDel(&n); !errors.Is(err, unix.ESRCH) {
			o.say(dst.String(), err, "remove the route to")
		}
	}
	for dst, r := range o.plan.routes {
		if !there[dst] {
			o.say(dst.String(), netlink.RouteReplace(r.netlink(dst)), "make the route to")
		}
	}
}

func ourRoutes() ([]netlink.Route, error) {
	rs, err := netlink.RouteListFiltered(netlink.FAMILY_V4, &netlink.Route{Protocol: Protocol}, netlink.RT_FILTER_PROTOCOL)
	if err != nil {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	return rs, nil
}
