package balancer

import (
	"fmt"
	"net/netip"
)

// pool is the addresses of a range, of which the first is never given: it looks like a network's own.
type pool struct {
	prefix netip.Prefix
	owners map[netip.Addr]string
	of     map[string]netip.Addr
}

func newPool(prefix netip.Prefix) *pool {
	return &pool{prefix: prefix.Masked(), owners: map[netip.Addr]string{}, of: map[string]netip.Addr{}}
}

// claim gives owner the address if it is of the range and free, or owner's already.
func (p *pool) claim(owner string, ip netip.Addr) bool {
	if !p.prefix.Contains(ip) || ip == p.prefix.Addr() {
		return false
	}
	if had, taken := p.owners[ip]; taken {
		return had == owner
	}
	p.release(owner)
	p.owners[ip], p.of[owner] = owner, ip
	return true
}

// next gives owner what it has, or the first free address.
func (p *pool) next(owner string) (netip.Addr, error) {
	if ip, ok := p.of[owner]; ok {
		return ip, nil
	}
	for ip := p.prefix.Addr().Next(); p.prefix.Contains(ip); ip = ip.Next() {
		if p.claim(owner, ip) {
			return ip, nil
		}
	}
	return netip.Addr{}, fmt.Errorf("all %d addresses of %s are in use; delete a Service of type LoadBalancer, or make it another type", len(p.owners), p.prefix)
}

// release takes owner's address back, and says whether it had one.
func (p *pool) release(owner string) bool {
	ip, ok := p.of[owner]
	delete(p.of, owner)
	delete(p.owners, ip)
	return ok
}
