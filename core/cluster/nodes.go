package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/group"
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

// startNodes starts the first in-tab nodes and returns when each is Ready.
func (c *Cluster) startNodes(ctx context.Context, g *group.Group) error {
	c.board.post(StepNodes, StateStarted, "")
	if err := c.followServices(ctx); err != nil {
		c.board.post(StepNodes, StateFailed, err.Error())
		return err
	}
	g.Go("provisioner of local-path", func() error { return c.provisionVolumes(ctx) })
	c.nodes.mu.Lock()
	c.nodes.running = map[string]*runningNode{}
	// What only in-tab nodes reach. A process that has none keeps the machine's network, in which there are
	// no such addresses (core/netns).
	network := sync.OnceFunc(func() {
		g.Go("load balancer", func() error { return c.runBalancer(ctx) })
		g.Go("Ingress controller", func() error { return c.serveIngresses(ctx) })
		g.Go("cluster DNS", func() error { return c.serveNames(ctx) })
	})
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
	c.nodes.mu.Unlock()
	context.AfterFunc(ctx, func() {
		c.nodes.mu.Lock()
		defer c.nodes.mu.Unlock()
		c.nodes.start = nil
	})

	first, err := c.startingNodes(ctx)
	if err != nil {
		c.board.post(StepNodes, StateFailed, err.Error())
		return err
	}
	if err := c.forgetNodesBut(func(name string) bool {
		return slices.ContainsFunc(first, func(f startingNode) bool { return nodeName(f.number) == name })
	}); err != nil {
		c.board.post(StepNodes, StateFailed, err.Error())
		return err
	}
	var started []*runningNode
	for _, f := range first {
		c.nodes.mu.Lock()
		c.nodes.next = f.number
		c.nodes.mu.Unlock()
		n, err := c.launch(f.capacity, false)
		if err != nil {
			c.board.post(StepNodes, StateFailed, err.Error())
			return err
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
		return nil
	}
	select {
	case err := <-failed:
		c.board.post(StepNodes, StateFailed, err.Error())
		return err
	default:
	}
	c.board.post(StepNodes, StateDone, fmt.Sprintf("%d nodes", len(first)))
	return nil
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

// AddPlainNode is AddNode with the cluster's own capacity.
func (c *Cluster) AddPlainNode(ctx context.Context) (string, error) {
	return c.AddNode(ctx, node.Capacity{})
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

// StopNode cuts a node off. Its lease is not renewed any more: the control plane takes it for
// NotReady after the node monitor's grace period and evicts its pods after their tolerations.
func (c *Cluster) StopNode(name string) error { return c.setStopped(name, true) }

// ShutdownNode shuts a node down as `systemctl poweroff` does a machine: the kubelet ends its pods, each with
// its grace and those of higher priority last, within the time that its configuration gives it; then the node
// is cut off. It returns after that. If ctx ends before, the shutdown is called off.
func (c *Cluster) ShutdownNode(ctx context.Context, name string) error {
	c.nodes.mu.Lock()
	n := c.nodes.running[name]
	if n == nil {
		c.nodes.mu.Unlock()
		return fmt.Errorf("node %s: %w", name, ErrNoSuchNode)
	}
	if n.state != NodeRunning {
		c.nodes.mu.Unlock()
		return fmt.Errorf("shut node %s down: it is %s", name, n.state)
	}
	n.state = NodeShuttingDown
	c.nodes.mu.Unlock()

	err := n.PowerOff(ctx)
	c.nodes.mu.Lock()
	defer c.nodes.mu.Unlock()
	switch {
	case n.state != NodeShuttingDown: // somebody has pulled its plug meanwhile, or connected it again
	case err != nil:
		n.state = NodeRunning
	default:
		n.setStopped(c, true)
	}
	return err
}

// HealNode undoes StopNode and ShutdownNode.
func (c *Cluster) HealNode(name string) error { return c.setStopped(name, false) }

func (c *Cluster) setStopped(name string, stopped bool) error {
	c.nodes.mu.Lock()
	defer c.nodes.mu.Unlock()
	n := c.nodes.running[name]
	if n == nil {
		return fmt.Errorf("node %s: %w", name, ErrNoSuchNode)
	}
	n.setStopped(c, stopped)
	return nil
}

// setStopped is called with nodes.mu held.
func (n *runningNode) setStopped(c *Cluster, stopped bool) {
	host := n.ip.String()
	if stopped {
		n.state = NodeStopped
		n.Cut()
		n.runtime.SetCut(true)
		refuse := func(context.Context, string, string) (net.Conn, error) {
			return nil, fmt.Errorf("dial %s: %w", n.Name(), ErrStopped)
		}
		c.router.Handle(host, refuse)
		for _, pods := range n.runtime.PodCIDRs() {
			c.router.HandlePrefix(pods, refuse)
		}
		c.services.segment.Forget(func(a netip.Addr) bool {
			return a == n.ip || slices.ContainsFunc(n.runtime.PodCIDRs(), func(pods netip.Prefix) bool { return pods.Contains(a) })
		})
		return
	}
	n.state = NodeRunning
	c.router.Handle(host, nil)
	for _, pods := range n.runtime.PodCIDRs() {
		c.router.HandlePrefix(pods, nil)
	}
	n.runtime.SetCut(false)
	n.Heal()
	n.Boot()
}

// RemoveNode takes a node away for good: it is stopped, its containers end, and its Node object and
// its pods are deleted.
func (c *Cluster) RemoveNode(ctx context.Context, name string) error {
	c.nodes.mu.Lock()
	n := c.nodes.running[name]
	if n == nil {
		c.nodes.mu.Unlock()
		return fmt.Errorf("node %s: %w", name, ErrNoSuchNode)
	}
	n.setStopped(c, true)
	c.nodes.mu.Unlock()

	client, err := kubernetes.NewForConfig(c.AdminConfig())
	if err != nil {
		return fmt.Errorf("remove node %s: %w", name, err)
	}
	err = client.CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("remove node %s: %w", name, err)
	}
	c.forget(name)
	if err := deletePodsOf(ctx, client, name); err != nil {
		return fmt.Errorf("remove node %s: the node is gone, its pods are left to the control plane's collector: %w", name, err)
	}
	return nil
}

// deletePodsOf deletes the pods of a node that is gone, without waiting for a kubelet to say that they
// have ended: here that is known. The control plane's own collector cannot know it, and waits a minute
// for the node to come back (pkg/controller/podgc), in which the pods would be shown as running.
func deletePodsOf(ctx context.Context, client kubernetes.Interface, node string) error {
	pods, err := client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		return err
	}
	var errs []error
	for i := range pods.Items {
		p := &pods.Items[i]
		err := client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{
			GracePeriodSeconds: new(int64), Preconditions: metav1.NewUIDPreconditions(string(p.UID)),
		})
		if !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// forget ends what can be ended of a node.
func (c *Cluster) forget(name string) {
	c.nodes.mu.Lock()
	defer c.nodes.mu.Unlock()
	if n := c.nodes.running[name]; n != nil {
		n.end()
		n.api.Close()
		c.services.segment.At(n.ip, nil)
		for _, pods := range n.runtime.PodCIDRs() {
			c.router.HandlePrefix(pods, nil) // another node may get the range
		}
		delete(c.nodes.running, name)
	}
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
