package outside

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

const (
	// maxAddresses bounds what one hub leads to.
	maxAddresses = 64
	// patience is how long a name may take to be resolved, and an address to answer.
	patience = 10 * time.Second
)

// Addresses are what was named, as tunnel.ParseOutside writes it, and where that is. Nil leads nowhere.
type Addresses map[string][]netip.AddrPort

// Lookup finds the addresses of a host; net.DefaultResolver's LookupNetIP with the network "ip" is one.
type Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

// Resolve resolves what was named ("HOST:PORT"), once: what a name stands for later does not matter.
func Resolve(ctx context.Context, named []string, lookup Lookup) (Addresses, error) {
	if len(named) > maxAddresses {
		return nil, fmt.Errorf("%d addresses outside are too many; at most %d are led to", len(named), maxAddresses)
	}
	a := Addresses{}
	for _, text := range named {
		target, err := tunnel.ParseOutside(text)
		if err != nil {
			return nil, err
		}
		if a[target], err = resolve(ctx, target, lookup); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func resolve(ctx context.Context, target string, lookup Lookup) ([]netip.AddrPort, error) {
	if at, err := netip.ParseAddrPort(target); err == nil {
		if at.Addr().IsUnspecified() || at.Addr().IsMulticast() {
			return nil, fmt.Errorf("%s is no host's address", target)
		}
		return []netip.AddrPort{at}, nil
	}
	host, text, err := net.SplitHostPort(target)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ips, err := lookup(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("find the address of %s: %w", host, err)
	}
	var at []netip.AddrPort
	for _, ip := range ips {
		ip = ip.Unmap()
		if !public(ip) {
			return nil, fmt.Errorf("%s is at %s, which is no address of the Internet: name that address if clusters are to reach it", host, ip)
		}
		at = append(at, netip.AddrPortFrom(ip, uint16(port)))
	}
	if len(at) == 0 {
		return nil, fmt.Errorf("%s has no address", host)
	}
	return at, nil
}

// inner are networks that are not of the Internet, beside those that netip knows by name (RFC 6890), and those that stand for
// addresses of IPv4 in another form.
var inner = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("::/96"), netip.MustParsePrefix("fec0::/10"),
}

func public(ip netip.Addr) bool {
	for _, p := range inner {
		if p.Contains(ip) {
			return false
		}
	}
	return ip.IsGlobalUnicast() && !ip.IsPrivate()
}

// Leads tells whether a target was named; the error says to whom to turn.
func (a Addresses) Leads(target string) error {
	if _, ok := a[target]; !ok {
		return fmt.Errorf("the hub does not lead to %.300s: whoever runs it names it with --outside %.300s", target, target)
	}
	return nil
}

// Dial dials a target that was named.
func (a Addresses) Dial(ctx context.Context, target string) (net.Conn, error) {
	if err := a.Leads(target); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var all []error
	for _, at := range a[target] {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", at.String())
		if err == nil {
			return conn, nil
		}
		all = append(all, err)
	}
	return nil, errors.Join(all...)
}
