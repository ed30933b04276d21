package ways

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"

	corev1 "k8s.io/api/core/v1"

	"github.com/tabernetes/tabernetes/core/confine"
)

// Annotation of a Node holds its Endpoint in JSON. The node writes it itself: NodeRestriction
// lets a kubelet's identity change its own Node only.
const Annotation = "node.tabernetes.internal/overlay"

// Endpoint is how a node is reached.
type Endpoint struct {
	// IP is the node's address, Subnet the network that its interface is in.
	IP     netip.Addr   `json:"ip"`
	Subnet netip.Prefix `json:"subnet"`
	// MTU of that interface, in bytes.
	MTU int `json:"mtu"`
	// Mode is what the node allows.
	Mode Mode `json:"mode"`
	// MAC of its VXLAN interface, which its name says already (func MAC), and the UDP port it listens on.
	MAC  string `json:"mac"`
	Port int    `json:"port"`
	// NAT is the address that the node is behind, if it is behind one.
	NAT netip.Addr `json:"nat,omitzero"`
}

// MAC is the address of a node's VXLAN interface. It depends on the name only, so that a node
// that comes back is where others look for it.
func MAC(node string) net.HardwareAddr {
	sum := sha256.Sum256([]byte("tabernetes overlay " + node))
	mac := net.HardwareAddr(sum[:6])
	mac[0] = mac[0]&^0x01 | 0x02 // one machine's, locally administered
	return mac
}

// Peer is a node as it announces itself.
type Peer struct {
	Name    string
	PodCIDR netip.Prefix
	Endpoint
}

// peerOf reads a Node whose pods are in one of cidrs; nil and no error means that it announces nothing or
// has no pods yet.
func peerOf(node *corev1.Node, cidrs, cluster []netip.Prefix) (*Peer, error) {
	text, ok := node.Annotations[Annotation]
	if !ok {
		return nil, nil
	}
	cidr, ok := FirstIPv4(cidrs)
	if !ok {
		return nil, nil
	}
	e, err := parse(node.Name, text, cluster)
	if err != nil {
		return nil, fmt.Errorf("node %s: annotation %s: %w", node.Name, Annotation, err)
	}
	return &Peer{Name: node.Name, PodCIDR: cidr, Endpoint: e}, nil
}

// maxAnnouncement is a few times what a node writes, in bytes.
const maxAnnouncement = 1024

// Of interfaces' MTUs, in bytes: what IPv4 wants of every host with VXLAN's overhead, and what fits a
// packet.
const (
	minMTU = 576 + Overhead
	maxMTU = 65535
)

// parse reads what a node says of itself, which may be anything. cluster are the pods of all nodes.
func parse(name, text string, cluster []netip.Prefix) (e Endpoint, err error) {
	if len(text) > maxAnnouncement {
		return e, fmt.Errorf("it is %d bytes long, and %d is the most", len(text), maxAnnouncement)
	}
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return e, fmt.Errorf("it is not understood: %w", err)
	}
	if !e.IP.Is4() {
		return e, fmt.Errorf("the address %s is not IPv4", e.IP)
	}
	if err := confine.Address(e.IP, cluster); err != nil {
		return e, err
	}
	if e.NAT.IsValid() {
		if err := confine.Address(e.NAT, cluster); err != nil {
			return e, fmt.Errorf("behind NAT: %w", err)
		}
	}
	switch {
	case !e.Subnet.IsValid() || e.Subnet != e.Subnet.Masked() || !e.Subnet.Contains(e.IP):
		return e, fmt.Errorf("the subnet %s is not one that %s is in", e.Subnet, e.IP)
	case e.MTU < minMTU || e.MTU > maxMTU:
		return e, fmt.Errorf("the MTU %d is not from %d to %d", e.MTU, minMTU, maxMTU)
	case e.Port < 1 || e.Port > 65535:
		return e, fmt.Errorf("there is no UDP port %d", e.Port)
	case e.Mode == "":
		return e, errors.New("it says no mode")
	case e.MAC != MAC(name).String():
		return e, fmt.Errorf("the MAC %.40q is not that of the node's name, %s", e.MAC, MAC(name))
	}
	return e, e.Mode.Validate()
}

// FirstIPv4 is the one of a node's pod CIDRs that is used.
func FirstIPv4(ps []netip.Prefix) (netip.Prefix, bool) {
	for _, p := range ps {
		if p.IsValid() && p.Addr().Is4() {
			return p.Masked(), true
		}
	}
	return netip.Prefix{}, false
}
