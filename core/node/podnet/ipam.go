package podnet

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
)

// ErrExhausted says that every address of a range is in use.
var ErrExhausted = errors.New("no IP addresses available in range set")

// IPAM allocates pod IPs from a node's pod CIDRs as the CNI plugin host-local does: one after
// the other from the last one given, so that an address that was released rests as long as
// the range allows; the network's own address, its first (the gateway's by custom) and the
// broadcast address are never given. The zero value has no range.
type IPAM struct {
	mu     sync.Mutex
	ranges []*ipRange
	used   map[netip.Addr]string // address → owner
}

type ipRange struct {
	prefix netip.Prefix
	last   netip.Addr // given last; the gateway's at first
}

// SetCIDR sets the ranges, comma-separated (one, or one for each IP family). What is
// allocated stays with its owner. Setting the same again changes nothing.
func (a *IPAM) SetCIDR(cidrs string) error {
	var ranges []*ipRange
	for text := range strings.SplitSeq(cidrs, ",") {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return fmt.Errorf("pod CIDR: %w", err)
		}
		prefix = prefix.Masked()
		if prefix.Addr().BitLen()-prefix.Bits() < 2 {
			return fmt.Errorf("pod CIDR %s: no room for a pod", prefix)
		}
		ranges = append(ranges, &ipRange{prefix: prefix, last: prefix.Addr().Next()})
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, r := range ranges {
		for _, old := range a.ranges {
			if old.prefix == r.prefix {
				ranges[i] = old
			}
		}
	}
	a.ranges = ranges
	return nil
}

// Prefixes are the ranges.
func (a *IPAM) Prefixes() (prefixes []netip.Prefix) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.ranges {
		prefixes = append(prefixes, r.prefix)
	}
	return prefixes
}

// Ready tells whether there is a range.
func (a *IPAM) Ready() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.ranges) > 0
}

// Allocate gives owner one address of each range. The error is ErrExhausted, wrapped.
func (a *IPAM) Allocate(owner string) ([]netip.Addr, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.ranges) == 0 {
		return nil, errors.New("the node has no pod CIDR yet")
	}
	var ips []netip.Addr
	for _, r := range a.ranges {
		ip, err := a.next(r)
		if err != nil {
			for _, ip := range ips {
				delete(a.used, ip)
			}
			return nil, fmt.Errorf("allocate pod IP from %s: %w", r.prefix, err)
		}
		if a.used == nil {
			a.used = map[netip.Addr]string{}
		}
		a.used[ip] = owner
		ips = append(ips, ip)
	}
	return ips, nil
}

// next finds the next free address of r. The caller holds a.mu.
func (a *IPAM) next(r *ipRange) (netip.Addr, error) {
	gateway := r.prefix.Addr().Next()
	ip := r.last
	for {
		ip = ip.Next()
		if !ip.IsValid() || !r.prefix.Contains(ip) || r.isBroadcast(ip) {
			ip = gateway // wrap around; never given itself
		}
		if _, taken := a.used[ip]; !taken && ip != gateway {
			r.last = ip
			return ip, nil
		}
		if ip == r.last {
			return netip.Addr{}, ErrExhausted
		}
	}
}

func (r *ipRange) isBroadcast(ip netip.Addr) bool {
	return ip.Is4() && !r.prefix.Contains(ip.Next())
}

// Release frees what owner has; nothing is no error.
func (a *IPAM) Release(owner string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for ip, o := range a.used {
		if o == owner {
			delete(a.used, ip)
		}
	}
}

// InUse counts the addresses that are given.
func (a *IPAM) InUse() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.used)
}
