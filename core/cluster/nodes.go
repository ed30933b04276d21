package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/node"
)

// NodeState is what has been done to an in-tab node. What the control plane thinks of it, and
// when, is in the Node object.
type NodeState string

// A node runs, or is being shut down, or it is stopped: its kubelet, its runtime and its network are cut off, as when a
// machine is switched off, and come back where they were when it is healed.
const (
	NodeRunning      NodeState = "running"
	NodeShuttingDown NodeState = "shutting down"
	NodeStopped      NodeState = "stopped"
)

// NodeStatus is one in-tab node.
type NodeStatus struct {
	Name  string
	State NodeState
}

var (
	// ErrNoSuchNode is returned for a name that no in-tab node has.
	ErrNoSuchNode = errors.New("no in-tab node has this name")
	// ErrStopped is what dials to a stopped node fail with.
	ErrStopped = errors.New("the node is stopped")
)

// nodes are the in-tab nodes there are. A number, and the address that it stands for, is never
// used twice: an upstream kubelet stays bound to its address until the process ends.
type nodes struct {
	mu      sync.Mutex
	next    int
	running map[string]*runningNode
	// start runs a node; nil before StepNodes begins and after the cluster has ended.
	start func(*inTabNode) *runningNode
}

type runningNode struct {
	*inTabNode
	state NodeState
	end   context.CancelFunc
	ended chan error // of a kubelet that could not be assembled
}

// await returns when the node is Ready, or the error that keeps it from that.
func (n *runningNode) await(ctx context.Context) error {
	select {
	case <-n.Ready():
		return nil
	case err := <-n.ended:
		return cmp.Or(err, fmt.Errorf("node %s ended before it was Ready", n.Name()))
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// launch makes the next node and runs it; one that is added begins with an empty disk.
func (c *Cluster) launch(capacity node.Capacity, added bool) (*runningNode, error) {
	c.nodes.mu.Lock()
	defer c.nodes.mu.Unlock()
	if c.nodes.start == nil {
		return nil, errors.New("add a node: the cluster does not run; wait until it has started")
	}
	if c.nodes.next >= maxNodes {
		return nil, fmt.Errorf("add a node: %d have been made, and no more addresses are left; start a new cluster", maxNodes)
	}
	if added {
		// One of this number was removed before the cluster was last started.
		if err := os.RemoveAll(c.path("nodes", nodeName(c.nodes.next))); err != nil {
			return nil, fmt.Errorf("add a node: %w", err)
		}
	}
	n, err := c.newNode(c.nodes.next, capacity)
	if err != nil {
		return nil, err
	}
	c.nodes.next++
	r := c.nodes.start(n)
	c.nodes.running[n.Name()] = r
	return r, nil
}

// AddNode starts one more in-tab node and returns its name once it is Ready. Zero fields of
// capacity take the cluster's own.
func (c *Cluster) AddNode(ctx context.Context, capacity node.Capacity) (string, error) {
	if err := capacity.Check(); err != nil {
		return "", fmt.Errorf("add a node: %w", err)
	}
	of := c.config.NodeCapacity
	capacity = node.Capacity{
		MilliCPU:              cmp.Or(capacity.MilliCPU, of.MilliCPU),
		MemoryBytes:           cmp.Or(capacity.MemoryBytes, of.MemoryBytes),
		EphemeralStorageBytes: cmp.Or(capacity.EphemeralStorageBytes, of.EphemeralStorageBytes),
		Pods:                  cmp.Or(capacity.Pods, of.Pods),
	}
	if err := c.checkSize(capacity); err != nil {
		return "", fmt.Errorf("add a node: %w", err)
	}
	n, err := c.launch(capacity, true)
	if err != nil {
		return "", err
	}
	if err := n.await(ctx); err != nil {
		c.forget(n.Name())
		return "", fmt.Errorf("add node %s: %w", n.Name(), err)
	}
	return n.Name(), nil
}

// AddSizedNode is AddNode with the cluster's own capacity where a size is zero.
func (c *Cluster) AddSizedNode(ctx context.Context, cores, memoryBytes, diskBytes int64) (string, error) {
	if cores < 0 || cores > math.MaxInt32 { // thousandths of it would be some other number
		return "", fmt.Errorf("add a node: %d cores cannot be claimed", cores)
	}
	return c.AddNode(ctx, node.Capacity{MilliCPU: cores * 1000, MemoryBytes: memoryBytes, EphemeralStorageBytes: diskBytes})
}

// checkSize says what is wrong with the size of a node to be added: more disk than all have, or less of something than
// kubelet.yaml keeps from pods.
func (c *Cluster) checkSize(of node.Capacity) error {
	if all := c.config.Storage; all > 0 && of.EphemeralStorageBytes > all {
		return fmt.Errorf("a disk of %d MiB: all nodes together have %d MiB here", of.EphemeralStorageBytes>>20, all>>20)
	}
	if file := c.configurationInForce()[configuration.Kubelet]; len(file) > 0 {
		if err := node.CheckKubelet(file, of); err != nil {
			return fmt.Errorf("%s of the configuration does not fit one of this size: %w", configuration.Kubelet, err)
		}
	}
	return nil
}

// hasInTabNodes says whether there is one, running or stopped.
func (c *Cluster) hasInTabNodes() bool {
	c.nodes.mu.Lock()
	defer c.nodes.mu.Unlock()
	return len(c.nodes.running) > 0
}

// NodeNames are the names of Nodes.
func (c *Cluster) NodeNames() []string {
	var names []string
	for _, n := range c.Nodes() {
		names = append(names, n.Name)
	}
	return names
}

// nodeSizes are the sizes that in-tab nodes have: those that are added without one, and those that there are.
func (c *Cluster) nodeSizes() []node.Capacity {
	c.nodes.mu.Lock()
	defer c.nodes.mu.Unlock()
	sizes := []node.Capacity{c.config.NodeCapacity}
	for _, n := range c.nodes.running {
		sizes = append(sizes, n.Capacity())
	}
	return sizes
}

// Nodes lists the in-tab nodes in the order of their making.
func (c *Cluster) Nodes() []NodeStatus {
	c.nodes.mu.Lock()
	defer c.nodes.mu.Unlock()
	list := []NodeStatus{}
	for name, n := range c.nodes.running {
		list = append(list, NodeStatus{name, n.state})
	}
	slices.SortFunc(list, func(a, b NodeStatus) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), strings.Compare(a.Name, b.Name))
	})
	return list
}
