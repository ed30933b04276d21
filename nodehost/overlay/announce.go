package overlay

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

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
	// MAC of its VXLAN interface, which its name says already (macOf), and the UDP port it listens on.
	MAC  string `json:"mac"`
	Port int    `json:"port"`
	// NAT is the address that the node is behind, if it is behind one.
	NAT netip.Addr `json:"nat,omitzero"`
}

// macOf is the address of a node's VXLAN interface. It depends on the name only, so that a node
// that comes back is where others look for it.
func macOf(node string) net.HardwareAddr {
	sum := sha256.Sum256([]byte("tabernetes overlay " + node))
	mac := net.HardwareAddr(sum[:6])
	mac[0] = mac[0]&^0x01 | 0x02 // one machine's, locally administered
	return mac
}

// announce writes the endpoint to the node's own Node object, if it is not there already.
func (o *Overlay) announce(ctx context.Context, node *corev1.Node) error {
	want, err := json.Marshal(o.self.Endpoint)
	if err != nil {
		return err
	}
	if node.Annotations[Annotation] == string(want) {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{Annotation: string(want)}}})
	if err != nil {
		return err
	}
	_, err = o.options.Client.CoreV1().Nodes().Patch(ctx, node.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("announce how node %s is reached: %w", node.Name, err)
	}
	return nil
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
	cidr, ok := firstIPv4(cidrs)
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
	minMTU = 576 + overhead
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
	case e.MAC != macOf(name).String():
		return e, fmt.Errorf("the MAC %.40q is not that of the node's name, %s", e.MAC, macOf(name))
	}
	return e, e.Mode.Validate()
}
