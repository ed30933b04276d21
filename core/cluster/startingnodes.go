package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/node"
	"github.com/tabernetes/tabernetes/core/pki"
)

// startingNode is one of the in-tab nodes that a cluster starts with; number counts from 0.
type startingNode struct {
	number   int
	capacity node.Capacity
}

// startingNodes are the in-tab nodes that the cluster starts with, in order: those that it had, each of its
// size, if it goes on from a store; as many as the options say, if it is new. A node that was added is
// there again, one that was removed is not.
func (c *Cluster) startingNodes(ctx context.Context) ([]startingNode, error) {
	var first []startingNode
	if !c.goesOn() {
		for i := range c.config.Nodes {
			first = append(first, startingNode{i, c.config.NodeCapacity})
		}
		return first, nil
	}
	client, err := kubernetes.NewForConfig(c.insider(pki.Admin).RESTConfig(pki.Pair{}))
	if err != nil {
		return nil, fmt.Errorf("list the nodes that the cluster had: %w", err)
	}
	had, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the nodes that the cluster had: %w", err)
	}
	for i := range maxNodes {
		at := slices.IndexFunc(had.Items, func(n corev1.Node) bool { return n.Name == nodeName(i) })
		if at < 0 {
			continue
		}
		size, of := had.Items[at].Status.Capacity, c.config.NodeCapacity
		first = append(first, startingNode{i, node.Capacity{
			MilliCPU:              cmp.Or(size.Cpu().Value()*1000, of.MilliCPU), // whole cores
			MemoryBytes:           cmp.Or(size.Memory().Value(), of.MemoryBytes),
			EphemeralStorageBytes: cmp.Or(size.StorageEphemeral().Value(), of.EphemeralStorageBytes),
			Pods:                  of.Pods, // kubelet.yaml may have said otherwise, and not any more
		}})
	}
	return first, nil
}

// goesOn says that the store had something in it when it was opened.
func (c *Cluster) goesOn() bool {
	if c.store == nil {
		return false
	}
	kept, ok := c.store.Kept()
	return ok && kept.Recovered.Revision > 1
}
