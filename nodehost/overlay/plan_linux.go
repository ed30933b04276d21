package overlay

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/tabernetes/tabernetes/nodehost/overlay/ways"
)

// kernelRoute is a route as the kernel has it.
func kernelRoute(dst netip.Prefix, r ways.Route) *netlink.Route {
	n := &netlink.Route{Dst: ipNet(dst), Protocol: Protocol, Type: unix.RTN_UNICAST, LinkIndex: r.Link, MTU: r.MTU}
	if r.Unreachable {
		n.Type = unix.RTN_UNREACHABLE
	}
	if r.Via.IsValid() {
		n.Gw = r.Via.AsSlice()
	}
	if r.OnLink {
		n.SetFlag(netlink.FLAG_ONLINK)
	}
	return n
}

// routeOf is the reverse; ok is false for what no ways.Route is.
func routeOf(n netlink.Route) (netip.Prefix, ways.Route, bool) {
	dst, ok := prefixOf(n.Dst)
	r := ways.Route{Unreachable: n.Type == unix.RTN_UNREACHABLE, Link: n.LinkIndex, OnLink: n.Flags&int(netlink.FLAG_ONLINK) != 0, MTU: n.MTU}
	if via, ok := netip.AddrFromSlice(n.Gw); ok {
		r.Via = via.Unmap()
	}
	if r.Unreachable {
		r.Link = 0
	}
	return dst, r, ok && (r.Unreachable || n.Type == unix.RTN_UNICAST)
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

// reconcile makes the kernel have what a plan says, and nothing else of ours. device is 0 where there
// is no VXLAN interface. failed says of which nodes the kernel did not take something: an announcement
// that it refuses keeps no other node from being reached. err is about everything else.
func reconcile(p ways.Plan, device int) (failed map[string]error, err error) {
	o := outcome{Plan: p, failed: map[string]error{}}
	if device != 0 {
		o.forwards(device)
		o.neighbours(device)
	}
	o.routes()
	return o.failed, errors.Join(o.errs...)
}

// outcome is what came of a plan.
type outcome struct {
	ways.Plan
	failed map[string]error
	errs   []error
}

// say keeps an error, if it is one, about what is of a node (see Plan.Whose), or about none.
func (o *outcome) say(key string, err error, what string) {
	if err == nil {
		return
	}
	err = fmt.Errorf("%s %s: %w", what, key, err)
	if node, ok := o.Whose[key]; ok {
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
		if want, planned := o.Routes[dst]; ok && planned && want == r && !there[dst] {
			there[dst] = true
			continue
		}
		if err := netlink.RouteDel(&n); !errors.Is(err, unix.ESRCH) {
			o.say(dst.String(), err, "remove the route to")
		}
	}
	for dst, r := range o.Routes {
		if !there[dst] {
			o.say(dst.String(), netlink.RouteReplace(kernelRoute(dst, r)), "make the route to")
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
