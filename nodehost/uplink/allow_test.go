package uplink

import (
	"net/netip"
	"testing"
)

func TestWhatMayBeDialled(t *testing.T) {
	d := &Door{Node: netip.MustParseAddr("192.0.2.7"), KubeletPort: 10250}
	d.SetPods([]netip.Prefix{netip.MustParsePrefix("10.244.7.0/24")})
	for address, want := range map[string]string{
		"192.0.2.7:10250":   "127.0.0.1:10250",
		"10.244.7.3:80":     "10.244.7.3:80",
		"192.0.2.7:22":      "",
		"127.0.0.1:10250":   "",
		"127.0.0.1:22":      "",
		"10.244.8.3:80":     "",
		"169.254.169.254:1": "",
		"kubernetes:443":    "",
		"192.0.2.7":         "",
		"":                  "",
	} {
		got, err := d.Allow(address)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", address, got, err, want)
		}
	}
}
