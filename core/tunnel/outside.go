package tunnel

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// maxHost is the longest name of a host that DNS has.
const maxHost = 253

// ParseOutside reads HOST:PORT as whoever runs a hub and the owner of a cluster write an address outside of both, and
// gives it as it stands in the Header of a stream of KindOutside: in lower case. HOST is a name of DNS or an IP address,
// an IPv6 one in brackets.
func ParseOutside(text string) (string, error) {
	wrong := fmt.Errorf("%.300q is no address outside: write HOST:PORT, as hooks.example.com:443", text)
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", wrong
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", wrong
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Zone() != "" {
			return "", wrong
		}
		return netip.AddrPortFrom(ip.Unmap(), uint16(n)).String(), nil
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if !IsLabel(l) {
			return "", wrong
		}
	}
	// A name that ends with digits is an address that somebody has written in another way.
	if last := labels[len(labels)-1]; len(host) > maxHost || strings.Trim(last, "0123456789") == "" {
		return "", wrong
	}
	return net.JoinHostPort(host, strconv.FormatUint(n, 10)), nil
}
