package ways

import (
	"net/netip"
	"testing"
)

// What is for no real node's pods goes to one interface, in halves: the whole is unreachable when the
// interface has gone, and a real node's way is the longer prefix.
func TestWhereTheRestGoes(t *testing.T) {
	for cluster, halves := range map[string][2]string{
		"10.244.0.0/16": {"10.244.0.0/17", "10.244.128.0/17"},
		"10.0.0.0/8":    {"10.0.0.0/9", "10.128.0.0/9"},
		"10.244.0.0/23": {"10.244.0.0/24", "10.244.1.0/24"},
	} {
		c := []netip.Prefix{netip.MustParsePrefix(cluster), netip.MustParsePrefix("2001:db8::/64")}
		p := NewPlan(self, nil, c, 0, 2)
		p.Rest(c, 9)
		if len(p.Routes) != 3 || !p.Routes[c[0]].Unreachable {
			t.Errorf("%s: %v", cluster, p.Routes)
		}
		for _, half := range halves {
			if p.Routes[netip.MustParsePrefix(half)] != (Route{Link: 9}) {
				t.Errorf("%s: %s is not led to the interface: %v", cluster, half, p.Routes)
			}
		}
	}
}
