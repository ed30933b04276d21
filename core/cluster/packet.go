package cluster

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/packetpath"
)

// PodName names a pod.
type PodName struct{ Namespace, Name string }

// maxSubnets bounds how many nodes' ranges are listed.
const maxSubnets = 200

// PacketPath says which way a packet takes between two pods, by what stands on their Nodes, what the router of
// this process and the NetworkPolicies have in-tab nodes do, and what a real node has told of its ways (network.ways).
// It sends nothing. It fails if a
// pod is not there, or has no address yet.
func (c *Cluster) PacketPath(ctx context.Context, from, to PodName) (*packetpath.Path, error) {
	client, err := kubernetes.NewForConfig(c.PageConfig())
	if err != nil {
		return nil, fmt.Errorf("the path of a packet: %w", err)
	}
	var pods [2]*corev1.Pod
	for i, name := range []PodName{from, to} {
		pod, err := client.CoreV1().Pods(name.Namespace).Get(ctx, name.Name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("the path of a packet: %w", err)
		}
		if pod.Spec.NodeName == "" || pod.Status.PodIP == "" {
			return nil, fmt.Errorf("pod %s/%s has no address yet: wait until it runs", pod.Namespace, pod.Name)
		}
		pods[i] = pod
	}
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("the path of a packet: %w", err)
	}
	c.nodes.mu.Lock()
	inTab := make(map[string]bool, len(c.nodes.running))
	for name := range c.nodes.running {
		inTab[name] = true
	}
	c.nodes.mu.Unlock()
	p := packetpath.Between(pods[0], pods[1], packetpath.Known{
		InTab: func(node string) bool { return inTab[node] }, Tunnelled: c.tunnelled, Passes: c.passes, Trace: c.config.Trace,
	})
	for i := range list.Items[:min(len(list.Items), maxSubnets)] {
		n := &list.Items[i]
		p.Subnets = append(p.Subnets, packetpath.Subnet{Node: n.Name, Pods: strings.Join(n.Spec.PodCIDRs, ", "), InTab: inTab[n.Name]})
	}
	return p, nil
}

// tunnelled is whether an address is reached through a real node's tunnel, and not in this process's memory.
func (c *Cluster) tunnelled(ip string) bool {
	dial, err := c.router.Route(net.JoinHostPort(ip, "0"))
	return err == nil && dial != nil
}

// passes asks what decides about a connection to a pod that in-tab nodes carry, at the ports that the pod declares, or
// else at 80: the first that is let through, or why none is.
func (c *Cluster) passes(from, to *corev1.Pod) (port string, err error) {
	if c.services == nil {
		return "", errNoInTabNodes
	}
	source, err := netip.ParseAddr(from.Status.PodIP)
	if err != nil {
		return "", err
	}
	target, err := netip.ParseAddr(to.Status.PodIP)
	if err != nil {
		return "", err
	}
	var why error
	for _, p := range portsOf(to) {
		network := strings.ToLower(string(p.Protocol))
		// As from one that dials, by the rules and then by the router.
		err := c.reaches(network, source, source, netip.AddrPortFrom(target, uint16(p.ContainerPort)))
		if err == nil {
			err = c.router.Refused(target)
		}
		if err == nil {
			return fmt.Sprintf("%s port %d", p.Protocol, p.ContainerPort), nil
		}
		why = cmp.Or(why, err)
	}
	return "", why
}

// portsOf are the ports that a pod's containers declare of the protocols that the tab speaks, TCP's 80 if there is none.
func portsOf(pod *corev1.Pod) (ports []corev1.ContainerPort) {
	for _, c := range pod.Spec.Containers {
		for _, p := range c.Ports {
			if p.Protocol = cmp.Or(p.Protocol, corev1.ProtocolTCP); p.Protocol != corev1.ProtocolSCTP {
				ports = append(ports, p)
			}
		}
	}
	if len(ports) == 0 {
		ports = []corev1.ContainerPort{{ContainerPort: 80, Protocol: corev1.ProtocolTCP}}
	}
	return ports
}
