package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/clienttrace"
	"github.com/tabernetes/tabernetes/core/group"
	"github.com/tabernetes/tabernetes/core/node"
	"github.com/tabernetes/tabernetes/core/pki"
)

// startNodes starts the first in-tab nodes and returns when each is Ready, or the cluster ends.
func (c *Cluster) startNodes(ctx context.Context, g *group.Group) error {
	c.board.post(StepNodes, StateStarted, "")
	err := c.followServices(ctx)
	count := 0
	if err == nil {
		g.Go("provisioner of local-path", func() error {
			clienttrace.Component(c.config.Trace, "local-path-provisioner")
			return c.provisionVolumes(ctx)
		})
		c.openNodes(ctx, g)
		count, err = c.startFirst(ctx)
	}
	switch {
	case err != nil:
		c.board.post(StepNodes, StateFailed, err.Error())
		return err
	case ctx.Err() == nil:
		c.board.post(StepNodes, StateDone, fmt.Sprintf("%d nodes", count))
	}
	return nil
}

// openNodes lets nodes be launched from now on until ctx ends.
func (c *Cluster) openNodes(ctx context.Context, g *group.Group) {
	// What only in-tab nodes reach. A process that has none keeps the machine's network, in which there are
	// no such addresses (core/netns).
	network := sync.OnceFunc(func() {
		g.Go("load balancer", func() error {
			clienttrace.Component(c.config.Trace, "load-balancer")
			return c.runBalancer(ctx)
		})
		g.Go("Ingress controller", func() error {
			clienttrace.Component(c.config.Trace, "ingress-controller")
			return c.serveIngresses(ctx)
		})
		g.Go("cluster DNS", func() error { return c.serveNames(ctx) })
	})
	c.nodes.mu.Lock()
	defer c.nodes.mu.Unlock()
	c.nodes.running = map[string]*runningNode{}
	c.nodes.start = func(n *inTabNode) *runningNode {
		network()
		ctx, cancel := context.WithCancel(ctx)
		r := &runningNode{inTabNode: n, state: NodeRunning, end: cancel, ended: make(chan error, 1)}
		g.Go("container runtime of "+n.Name(), func() error { return n.runtime.Run(ctx) })
		g.Go("service proxy of "+n.Name(), func() error { return n.proxy.Run(ctx) })
		g.Go("kubelet of "+n.Name(), func() error {
			err := n.Run(ctx)
			r.ended <- err
			return nil
		})
		return r
	}
	context.AfterFunc(ctx, func() {
		c.nodes.mu.Lock()
		defer c.nodes.mu.Unlock()
		c.nodes.start = nil
	})
}

// startFirst launches the nodes that the cluster starts with, and returns how many when all are Ready, or ctx ends.
func (c *Cluster) startFirst(ctx context.Context) (int, error) {
	first, err := c.startingNodes(ctx)
	if err != nil {
		return 0, err
	}
	if err := c.forgetNodesBut(func(name string) bool {
		return slices.ContainsFunc(first, func(f startingNode) bool { return nodeName(f.number) == name })
	}); err != nil {
		return 0, err
	}
	var started []*runningNode
	for _, f := range first {
		c.nodes.mu.Lock()
		c.nodes.next = f.number
		c.nodes.mu.Unlock()
		n, err := c.launch(f.capacity, false)
		if err != nil {
			return 0, err
		}
		started = append(started, n)
	}
	// All at once, whichever is first.
	var pending sync.WaitGroup
	failed := make(chan error, len(started))
	for _, n := range started {
		pending.Go(func() {
			if err := n.await(ctx); err != nil {
				failed <- err
				return
			}
			c.board.post(StepNodes, StateProgress, n.Name()+" is Ready")
		})
	}
	pending.Wait()
	if ctx.Err() != nil {
		return 0, nil
	}
	select {
	case err := <-failed:
		return 0, err
	default:
		return len(first), nil
	}
}

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
