package confine

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// The plan of the cluster's pods: PodCIDR is cut into one pod CIDR of PodMaskSize bits for each node.
const (
	PodCIDR     = "10.244.0.0/16"
	PodMaskSize = 24
)

// Plan is what the controller manager hands pod CIDRs out of (--cluster-cidr, --node-cidr-mask-size).
type Plan struct {
	Cluster  []netip.Prefix
	MaskSize int
}

// Granted says which pod CIDRs of the Nodes count, by the Nodes' names: those that the controller could
// have handed out, and of two Nodes with the same one the older's. refused says of the others why they
// do not, for people. Whoever asks with the same Nodes gets the same answer.
func (p Plan) Granted(nodes []*corev1.Node) (granted map[string][]netip.Prefix, refused map[string]error) {
	granted, refused = map[string][]netip.Prefix{}, map[string]error{}
	holder := map[netip.Prefix]string{}
	for _, n := range slices.SortedFunc(slices.Values(nodes), Older) {
		for _, text := range n.Spec.PodCIDRs {
			cidr, err := p.podCIDR(text)
			if other, taken := holder[cidr]; err == nil && taken && other != n.Name {
				err = fmt.Errorf("the pod CIDR %s is node %s's, which is older", cidr, other)
			}
			if err != nil {
				refused[n.Name] = err
				continue
			}
			holder[cidr] = n.Name
			granted[n.Name] = append(granted[n.Name], cidr)
		}
	}
	return granted, refused
}

// Older orders Nodes by when the API server made them, which no node can choose; those of one second
// by name.
func Older(a, b *corev1.Node) int {
	if c := a.CreationTimestamp.Compare(b.CreationTimestamp.Time); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}

// podCIDR reads one that the plan could have.
func (p Plan) podCIDR(text string) (netip.Prefix, error) {
	cidr, err := netip.ParsePrefix(text)
	if err != nil {
		return cidr, fmt.Errorf("the pod CIDR %.50q is none", text)
	}
	for _, all := range p.Cluster {
		if cidr == cidr.Masked() && cidr.Bits() == p.MaskSize && all.Bits() <= cidr.Bits() && all.Contains(cidr.Addr()) {
			return cidr, nil
		}
	}
	return cidr, fmt.Errorf("the pod CIDR %s is not one of /%d in %v", cidr, p.MaskSize, p.Cluster)
}
