package ways

import (
	"net/netip"
	"strings"
	"testing"
)

func peer(name, ip, pods string, change ...func(*Peer)) Peer {
	p := Peer{Name: name, PodCIDR: netip.MustParsePrefix(pods), Endpoint: Endpoint{
		IP: netip.MustParsePrefix(ip).Addr(), Subnet: netip.MustParsePrefix(ip).Masked(), MTU: 1500, Mode: Auto, Port: 8472, MAC: MAC(name).String(),
	}}
	for _, c := range change {
		c(&p)
	}
	return p
}

func TestDecide(t *testing.T) {
	nat := func(p *Peer) { p.NAT = netip.MustParseAddr("203.0.113.1") }
	otherNAT := func(p *Peer) { p.NAT = netip.MustParseAddr("203.0.113.2") }
	mode := func(m Mode) func(*Peer) { return func(p *Peer) { p.Mode = m } }
	port := func(p *Peer) { p.Port = 4789 }
	for _, c := range []struct {
		what   string
		a, b   Peer
		want   Path
		reason string
	}{
		{"one subnet", peer("a", "192.168.1.1/24", "10.244.1.0/24"), peer("b", "192.168.1.2/24", "10.244.2.0/24"), PathRoute, ""},
		{"two subnets", peer("a", "192.168.1.1/24", "10.244.1.0/24"), peer("b", "192.168.2.2/24", "10.244.2.0/24"), PathVXLAN, ""},
		{"a subnet within another", peer("a", "192.168.1.1/16", "10.244.1.0/24"), peer("b", "192.168.2.2/24", "10.244.2.0/24"), PathVXLAN, ""},
		{"one subnet, VXLAN asked for", peer("a", "192.168.1.1/24", "10.244.1.0/24", mode(VXLAN)), peer("b", "192.168.1.2/24", "10.244.2.0/24"), PathVXLAN, ""},
		{"two subnets, routes asked for", peer("a", "192.168.1.1/24", "10.244.1.0/24", mode(Routes)), peer("b", "192.168.2.2/24", "10.244.2.0/24"), PathNone, "no common subnet"},
		{"one wants routes, one VXLAN", peer("a", "192.168.1.1/24", "10.244.1.0/24", mode(Routes)), peer("b", "192.168.1.2/24", "10.244.2.0/24", mode(VXLAN)), PathNone, "not to use VXLAN"},
		{"behind NAT", peer("a", "192.168.1.1/24", "10.244.1.0/24", nat), peer("b", "192.168.2.2/24", "10.244.2.0/24"), PathNone, "node a is behind NAT"},
		{"one subnet behind two NATs", peer("a", "192.168.1.1/24", "10.244.1.0/24", nat), peer("b", "192.168.1.2/24", "10.244.2.0/24", otherNAT), PathNone, "is not behind the same"},
		{"a neighbour of which nothing is known", peer("a", "192.168.1.1/24", "10.244.1.0/24", nat), peer("b", "192.168.1.2/24", "10.244.2.0/24"), PathRoute, ""},
		{"behind two NATs", peer("a", "192.168.1.1/24", "10.244.1.0/24", nat), peer("b", "192.168.2.2/24", "10.244.2.0/24", otherNAT), PathNone, "is behind NAT"},
		{"behind the same NAT, in two subnets", peer("a", "192.168.1.1/24", "10.244.1.0/24", nat), peer("b", "192.168.2.2/24", "10.244.2.0/24", nat), PathVXLAN, ""},
		{"neighbours behind the same NAT", peer("a", "192.168.1.1/24", "10.244.1.0/24", nat), peer("b", "192.168.1.2/24", "10.244.2.0/24", nat), PathRoute, ""},
		{"the same address behind two NATs", peer("a", "192.168.1.1/24", "10.244.1.0/24", nat), peer("b", "192.168.1.1/24", "10.244.2.0/24", otherNAT), PathNone, "both say that they are at"},
		{"the same pods", peer("a", "192.168.1.1/24", "10.244.1.0/24"), peer("b", "192.168.1.2/24", "10.244.1.0/24"), PathNone, "both have pods in"},
		{"other ports", peer("a", "192.168.1.1/24", "10.244.1.0/24"), peer("b", "192.168.2.2/24", "10.244.2.0/24", port), PathNone, "different ports"},
	} {
		for _, way := range []string{"there", "back"} {
			got, reason := Decide(c.a, c.b)
			if got != c.want || !strings.Contains(reason, c.reason) {
				t.Errorf("%s, %s: %s %q, want %s %q", c.what, way, got, reason, c.want, c.reason)
			}
			c.a, c.b = c.b, c.a
		}
	}
}

func TestMTUOfAWay(t *testing.T) {
	a := peer("a", "192.168.1.1/24", "10.244.1.0/24")
	narrow := func(p *Peer) { p.MTU = 1400 }
	for _, c := range []struct {
		b    Peer
		want int
	}{
		{peer("b", "192.168.1.2/24", "10.244.2.0/24"), 1500},
		{peer("b", "192.168.1.2/24", "10.244.2.0/24", narrow), 1400},
		{peer("b", "192.168.2.2/24", "10.244.2.0/24"), 1450},
		{peer("b", "192.168.2.2/24", "10.244.2.0/24", narrow), 1350},
	} {
		if got := way(a, c.b).MTU; got != c.want {
			t.Errorf("to %s: %d, want %d", c.b.IP, got, c.want)
		}
	}
	if got := PodMTU(a.Endpoint); got != 1450 {
		t.Errorf("pods: %d", got)
	}
}

func TestOneMachinesMAC(t *testing.T) {
	m := MAC("node-a")
	if m[0]&3 != 2 || m.String() == MAC("node-b").String() || m.String() != MAC("node-a").String() {
		t.Errorf("%s", m)
	}
}
