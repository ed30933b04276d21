package uplink

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"
)

// AllowList says what the cluster may dial on this node: its kubelet, which listens on loopback only, and
// its own pods. Nothing else that listens on the machine can be reached through the tunnel: an address
// of the pods' network that is the machine's own is refused, which is how their gateway would lead
// to every service of it.
type AllowList struct {
	// Node is the node's address in the cluster.
	Node netip.Addr
	// KubeletPort is that of the kubelet, on Node for the cluster and on loopback in truth.
	KubeletPort int
	// Local are the machine's addresses. Default net.InterfaceAddrs.
	Local func() ([]net.Addr, error)

	mu   sync.RWMutex
	pods []netip.Prefix
}

// SetPods replaces the node's pod CIDRs.
func (l *AllowList) SetPods(cidrs []netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pods = cidrs
}

// Allow gives the address to dial for one that the cluster asks for, or says why not.
func (l *AllowList) Allow(address string) (string, error) {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return "", fmt.Errorf("%q is no address", address)
	}
	if ap.Addr() == l.Node && int(ap.Port()) == l.KubeletPort {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(l.KubeletPort)), nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, cidr := range l.pods {
		if !cidr.Contains(ap.Addr()) {
			continue
		}
		if whose, err := l.notAPod(cidr.Masked(), ap.Addr()); err != nil {
			return "", err
		} else if whose != "" {
			return "", fmt.Errorf("the node allows its kubelet and its pods to be dialled, and %s is %s", address, whose)
		}
		return address, nil
	}
	return "", fmt.Errorf("the node allows its kubelet and its pods to be dialled, and %s is neither", address)
}

// notAPod says what an address of a pod CIDR is that no pod can have; "" for a pod's. The first one is
// the gateway (nodehost/cni), also before the bridge has it.
func (l *AllowList) notAPod(cidr netip.Prefix, a netip.Addr) (string, error) {
	switch {
	case a == cidr.Addr():
		return "the network itself", nil
	case a == cidr.Addr().Next():
		return "the machine, as its pods' gateway", nil
	case !cidr.Contains(a.Next()) && a.Is4():
		return "the network's broadcast", nil
	}
	local := l.Local
	if local == nil {
		local = net.InterfaceAddrs
	}
	addrs, err := local()
	if err != nil {
		return "", fmt.Errorf("list the machine's addresses: %w", err)
	}
	for _, addr := range addrs {
		if n, ok := addr.(*net.IPNet); ok {
			if own, ok := netip.AddrFromSlice(n.IP); ok && own.Unmap() == a {
				return "an address of the machine", nil
			}
		}
	}
	return "", nil
}
