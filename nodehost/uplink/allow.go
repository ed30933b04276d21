package uplink

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"
)

// Door says what the cluster may dial on this node: its kubelet, which listens on loopback only, and
// its own pods. Nothing else that listens on the machine can be reached through the tunnel.
type Door struct {
	// Node is the node's address in the cluster.
	Node netip.Addr
	// KubeletPort is that of the kubelet, on Node for the cluster and on loopback in truth.
	KubeletPort int

	mu   sync.RWMutex
	pods []netip.Prefix
}

// SetPods replaces the node's pod CIDRs.
func (d *Door) SetPods(cidrs []netip.Prefix) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pods = cidrs
}

// Allow is for Options.
func (d *Door) Allow(address string) (string, error) {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return "", fmt.Errorf("%q is no address", address)
	}
	if ap.Addr() == d.Node && int(ap.Port()) == d.KubeletPort {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(d.KubeletPort)), nil
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, cidr := range d.pods {
		if cidr.Contains(ap.Addr()) {
			return address, nil
		}
	}
	return "", fmt.Errorf("the node allows its kubelet and its pods to be dialled, and %s is neither", address)
}
