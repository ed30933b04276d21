package overlay

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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
	// MAC of its VXLAN interface, and the UDP port it listens on.
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

// peerOf reads a Node; nil and no error means that it announces nothing or has no pods yet.
func peerOf(node *corev1.Node) (*Peer, error) {
	text, ok := node.Annotations[Annotation]
	if !ok {
		return nil, nil
	}
	var cidrs []netip.Prefix
	for _, s := range node.Spec.PodCIDRs {
		if p, err := netip.ParsePrefix(s); err == nil {
			cidrs = append(cidrs, p)
		}
	}
	cidr, ok := firstIPv4(cidrs)
	if !ok {
		return nil, nil
	}
	p := &Peer{Name: node.Name, PodCIDR: cidr}
	if err := json.Unmarshal([]byte(text), &p.Endpoint); err != nil {
		return nil, fmt.Errorf("node %s: annotation %s: %w", node.Name, Annotation, err)
	}
	if _, err := net.ParseMAC(p.MAC); err != nil || !p.IP.Is4() {
		return nil, fmt.Errorf("node %s: annotation %s: no IPv4 address and MAC in %s", node.Name, Annotation, text)
	}
	return p, nil
}
