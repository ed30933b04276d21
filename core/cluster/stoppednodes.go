package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// StopNode cuts a node off. Its lease is not renewed any more: the control plane takes it for
// NotReady after the node monitor's grace period and evicts its pods after their tolerations.
func (c *Cluster) StopNode(name string) error { return c.setStopped(name, true) }

// ShutdownNode shuts a node down as `systemctl poweroff` does a machine: the kubelet ends its pods, each with
// its grace and those of higher priority last, within the time that its configuration gives it; then the node
// is cut off. It returns after that. If ctx ends before, the shutdown is called off.
func (c *Cluster) ShutdownNode(ctx context.Context, name string) error {
	n, err := c.withNode(name, func(n *runningNode) error {
		if n.state != NodeRunning {
			return fmt.Errorf("shut node %s down: it is %s", name, n.state)
		}
		n.state = NodeShuttingDown
		return nil
	})
	if err != nil {
		return err
	}
	err = n.PowerOff(ctx)
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
	_, err := c.withNode(name, func(n *runningNode) error {
		n.setStopped(c, stopped)
		return nil
	})
	return err
}

// withNode calls f for the node of that name with nodes.mu held.
func (c *Cluster) withNode(name string, f func(*runningNode) error) (*runningNode, error) {
	c.nodes.mu.Lock()
	defer c.nodes.mu.Unlock()
	n := c.nodes.running[name]
	if n == nil {
		return nil, fmt.Errorf("node %s: %w", name, ErrNoSuchNode)
	}
	return n, f(n)
}

// setStopped is called with nodes.mu held.
func (n *runningNode) setStopped(c *Cluster, stopped bool) {
	host := netip.PrefixFrom(n.ip, n.ip.BitLen())
	if stopped {
		n.state = NodeStopped
		n.Cut()
		n.runtime.SetCut(true)
		err := fmt.Errorf("%s: %w", n.Name(), ErrStopped)
		c.router.Refuse(host, err)
		for _, pods := range n.runtime.PodCIDRs() {
			c.router.Refuse(pods, err)
		}
		c.services.segment.Forget(func(a netip.Addr) bool {
			return a == n.ip || slices.ContainsFunc(n.runtime.PodCIDRs(), func(pods netip.Prefix) bool { return pods.Contains(a) })
		})
		return
	}
	n.state = NodeRunning
	c.router.Refuse(host, nil)
	for _, pods := range n.runtime.PodCIDRs() {
		c.router.Refuse(pods, nil)
	}
	n.runtime.SetCut(false)
	n.Heal()
	n.Boot()
}

// RemoveNode takes a node away for good: it is stopped, its containers end, and its Node object and
// its pods are deleted.
func (c *Cluster) RemoveNode(ctx context.Context, name string) error {
	if err := c.setStopped(name, true); err != nil {
		return err
	}
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
			c.router.Refuse(pods, nil) // another node may get the range
		}
		delete(c.nodes.running, name)
	}
}
