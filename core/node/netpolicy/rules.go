package netpolicy

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// flow is what is sent: by which protocol, to which port of whom.
type flow struct {
	protocol corev1.Protocol
	port     int32
	target   *Pod // nil if it is none
}

// peer is the other side: an address, and the pod that has it or nil.
type peer struct {
	ip  netip.Addr
	pod *Pod
}

// passes says whether a pod's policies of that direction allow a peer. Without one everybody is.
func (p *Policies) passes(all []*networkingv1.NetworkPolicy, pod *Pod, direction networkingv1.PolicyType, f flow, other peer) bool {
	isolated := false
	for _, policy := range all {
		if policy.Namespace != pod.Namespace || !slices.Contains(types(policy), direction) || !selects(&policy.Spec.PodSelector, pod.Labels) {
			continue
		}
		isolated = true
		if direction == networkingv1.PolicyTypeEgress {
			if slices.ContainsFunc(policy.Spec.Egress, func(r networkingv1.NetworkPolicyEgressRule) bool {
				return p.matches(policy.Namespace, r.To, r.Ports, f, other)
			}) {
				return true
			}
			continue
		}
		if slices.ContainsFunc(policy.Spec.Ingress, func(r networkingv1.NetworkPolicyIngressRule) bool {
			return p.matches(policy.Namespace, r.From, r.Ports, f, other)
		}) {
			return true
		}
	}
	return !isolated
}

// types are the directions of a policy; the API server has written them down for all but the oldest.
func types(p *networkingv1.NetworkPolicy) []networkingv1.PolicyType {
	switch {
	case len(p.Spec.PolicyTypes) > 0:
		return p.Spec.PolicyTypes
	case len(p.Spec.Egress) > 0:
		return []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}
	}
	return []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
}

func (p *Policies) matches(namespace string, peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort, f flow, other peer) bool {
	return (len(ports) == 0 || slices.ContainsFunc(ports, f.matches)) &&
		(len(peers) == 0 || slices.ContainsFunc(peers, func(rule networkingv1.NetworkPolicyPeer) bool { return p.is(namespace, rule, other) }))
}

// is says whether a peer is one of those that a rule names.
func (p *Policies) is(namespace string, rule networkingv1.NetworkPolicyPeer, other peer) bool {
	if b := rule.IPBlock; b != nil {
		return within(other.ip, b.CIDR) && !slices.ContainsFunc(b.Except, func(cidr string) bool { return within(other.ip, cidr) })
	}
	if other.pod == nil {
		return false
	}
	if rule.NamespaceSelector == nil {
		if other.pod.Namespace != namespace {
			return false
		}
	} else {
		ns, err := p.namespaces.Get(other.pod.Namespace)
		if err != nil || !selects(rule.NamespaceSelector, ns.Labels) {
			return false
		}
	}
	return rule.PodSelector == nil || selects(rule.PodSelector, other.pod.Labels)
}

func within(ip netip.Addr, cidr string) bool {
	prefix, err := netip.ParsePrefix(cidr)
	return err == nil && prefix.Masked().Contains(ip)
}

// selects says whether labels are selected; a selector that does not parse selects nothing.
func selects(selector *metav1.LabelSelector, of map[string]string) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(of))
}

// matches says whether a flow is to a port that a rule names.
func (f flow) matches(rule networkingv1.NetworkPolicyPort) bool {
	protocol := corev1.ProtocolTCP
	if rule.Protocol != nil {
		protocol = *rule.Protocol
	}
	switch {
	case protocol != f.protocol:
		return false
	case rule.Port == nil:
		return true
	case rule.Port.Type == intstr.String:
		return f.target != nil && slices.ContainsFunc(f.target.Ports, func(port corev1.ContainerPort) bool {
			of := port.Protocol
			if of == "" {
				of = corev1.ProtocolTCP
			}
			return port.Name == rule.Port.StrVal && port.ContainerPort == f.port && of == f.protocol
		})
	case rule.EndPort != nil:
		return f.port >= rule.Port.IntVal && f.port <= *rule.EndPort
	}
	return f.port == rule.Port.IntVal
}
