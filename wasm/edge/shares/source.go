package shares

import (
	"net/http"
	"net/netip"
)

// Source is whom a request is counted for: the address that Cloudflare saw, of IPv6 the network, as one
// person has 2^64 addresses of it. What has none is counted together.
func Source(r *http.Request) string {
	addr, err := netip.ParseAddr(r.Header.Get("CF-Connecting-IP"))
	if err != nil {
		return "unknown"
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	network, err := addr.Prefix(64)
	if err != nil {
		return "unknown"
	}
	return network.String()
}
