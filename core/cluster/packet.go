package cluster

import (
	"context"
	"fmt"
	"net"
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
// this process has, and what a real node has told of its ways (network.ways). It sends nothing. It fails if a
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
		InTab: func(node string) bool { return inTab[node] }, Tunnelled: c.tunnelled, Trace: c.config.Trace,
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
