package testnet

import (
	"fmt"
	"net/netip"
	"testing"
)

// Net is a switch with hosts on it; it is also the router between their subnets.
type Net struct {
	sw      *Namespace
	hosts   int
	subnets map[netip.Prefix]bool
}

// Host is a namespace with an interface eth0.
type Host struct {
	*Namespace
	Addr netip.Prefix
	net  *Net
	port string // its end at the switch
}

// New makes a switch without hosts.
func New(t testing.TB) *Net {
	t.Helper()
	n := &Net{sw: NewNamespace(t), subnets: map[netip.Prefix]bool{}}
	// With a MAC of its own: without one a bridge has the lowest of its ports, which a host that joins
	// changes. Those that had asked for the router's address would then send to nobody until they ask again.
	n.sw.MustExec(t, "ip", "link", "add", "br0", "address", "02:00:5e:00:00:01", "type", "bridge")
	n.sw.MustExec(t, "ip", "link", "set", "br0", "up")
	n.sw.MustExec(t, "sysctl", "-qw", "net.ipv4.ip_forward=1")
	return n
}

// Host makes a host with an address in CIDR notation and a default route to the first address of
// its subnet, which is the switch's.
func (n *Net) Host(t testing.TB, cidr string) *Host {
	t.Helper()
	n.hosts++
	h := &Host{Namespace: NewNamespace(t), Addr: netip.MustParsePrefix(cidr), net: n, port: fmt.Sprintf("p%d", n.hosts)}
	gateway := h.Addr.Masked().Addr().Next()
	if subnet := h.Addr.Masked(); !n.subnets[subnet] {
		n.subnets[subnet] = true
		n.sw.MustExec(t, "ip", "addr", "add", fmt.Sprintf("%s/%d", gateway, subnet.Bits()), "dev", "br0")
	}
	n.sw.MustExec(t, "ip", "link", "add", h.port, "type", "veth", "peer", "name", "eth0", "netns", h.Name)
	n.sw.MustExec(t, "ip", "link", "set", h.port, "master", "br0", "up")
	h.MustExec(t, "ip", "addr", "add", cidr, "dev", "eth0")
	h.MustExec(t, "ip", "link", "set", "eth0", "up")
	h.MustExec(t, "ip", "route", "add", "default", "via", gateway.String())
	return h
}

// IP is the host's address.
func (h *Host) IP() string { return h.Addr.Addr().String() }

// Unplug takes the host off the switch, or puts it back.
func (h *Host) Unplug(t testing.TB, out bool) {
	t.Helper()
	state := "up"
	if out {
		state = "down"
	}
	h.net.sw.MustExec(t, "ip", "link", "set", h.port, state)
}
