package ways

import "net/netip"

// Plan is what the kernel should have, by keys that can be compared.
type Plan struct {
	Routes map[netip.Prefix]Route
	// Neighbours: the first address of a pod CIDR → MAC; Forwards: MAC → node's address.
	Neighbours map[netip.Addr]string
	Forwards   map[string]netip.Addr
	// Whose: what each of these is for, the key in text → the other node's name; none is our own.
	Whose map[string]string
}

// Route is one of ours in the kernel.
type Route struct {
	// Unreachable says that nobody is there; the rest is empty then.
	Unreachable bool
	Via         netip.Addr
	Link        int // index
	OnLink      bool
	MTU         int // 0: the interface's
}

// Rest leads what is for pods of no real node to an interface: each of the cluster's ranges in two halves,
// so that the whole stays unreachable when the interface, and the halves with it, goes.
func (p *Plan) Rest(cluster []netip.Prefix, link int) {
	for _, c := range cluster {
		if !c.Addr().Is4() || c.Bits() >= 31 {
			continue
		}
		half := netip.PrefixFrom(c.Masked().Addr(), c.Bits()+1)
		p.Routes[half] = Route{Link: link}
		upper := half.Addr().As4()
		upper[c.Bits()/8] |= 0x80 >> (c.Bits() % 8)
		p.Routes[netip.PrefixFrom(netip.AddrFrom4(upper), half.Bits())] = Route{Link: link}
	}
}

// NewPlan turns ways into what the kernel needs; device is the VXLAN interface, underlay that of
// the node's own address.
func NewPlan(self Peer, ways []Way, cluster []netip.Prefix, device, underlay int) Plan {
	p := Plan{map[netip.Prefix]Route{}, map[netip.Addr]string{}, map[string]netip.Addr{}, map[string]string{}}
	for _, c := range cluster {
		if c.Addr().Is4() {
			p.Routes[c.Masked()] = Route{Unreachable: true}
		}
	}
	for _, w := range ways {
		var r Route
		if w.MTU < PodMTU(self.Endpoint) {
			r.MTU = w.MTU
		}
		switch w.Path {
		case PathRoute:
			r.Via, r.Link = w.IP, underlay
		case PathVXLAN:
			// The other end's interface has the subnet's first address.
			first := w.PodCIDR.Masked().Addr()
			r.Via, r.Link, r.OnLink = first, device, true
			p.Neighbours[first] = w.MAC
			p.Forwards[w.MAC] = w.IP
			p.Whose[first.String()], p.Whose[w.MAC] = w.Name, w.Name
		default:
			continue
		}
		p.Routes[w.PodCIDR] = r
		p.Whose[w.PodCIDR.String()] = w.Name
	}
	return p
}
