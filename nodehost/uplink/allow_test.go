package uplink

import (
	"net"
	"net/netip"
	"testing"
)

func TestWhatMayBeDialled(t *testing.T) {
	d := &AllowList{Node: netip.MustParseAddr("192.0.2.7"), KubeletPort: 10250, Local: func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.ParseIP("10.244.7.9"), Mask: net.CIDRMask(24, 32)}}, nil
	}}
	d.SetPods([]netip.Prefix{netip.MustParsePrefix("10.244.7.0/24")})
	for address, want := range map[string]string{
		"192.0.2.7:10250":        "127.0.0.1:10250",
		"10.244.7.3:80":          "10.244.7.3:80",
		"10.244.7.0:80":          "",
		"10.244.7.1:22":          "",
		"10.244.7.255:80":        "",
		"10.244.7.9:5432":        "",
		"192.0.2.7:22":           "",
		"127.0.0.1:10250":        "",
		"127.0.0.1:22":           "",
		"10.244.8.3:80":          "",
		"169.254.169.254:1":      "",
		"[::ffff:10.244.7.1]:22": "",
		"kubernetes:443":         "",
		"192.0.2.7":              "",
		"":                       "",
	} {
		got, err := d.Allow(address)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", address, got, err, want)
		}
	}
}
