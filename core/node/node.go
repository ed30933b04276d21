package node

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/node/kubelet"
	"github.com/tabernetes/tabernetes/core/node/logind"
)

// Node is one in-tab node. Its methods may be called from any goroutine.
type Node struct {
	opts   Options
	link   *apiLink
	logind *logind.Manager
	ready  chan struct{}
	once   sync.Once // closes ready
}

// New checks opts. Nothing runs yet. The error names every option that is wrong.
func New(opts Options) (*Node, error) {
	o, err := opts.complete()
	if err != nil {
		return nil, fmt.Errorf("node options: %w", err)
	}
	if o.RootDir, err = filepath.Abs(o.RootDir); err != nil {
		return nil, fmt.Errorf("node root directory: %w", err)
	}
	return &Node{opts: o, link: newAPILink(), logind: logind.New(), ready: make(chan struct{})}, nil
}

// Name is the node's name in the API.
func (n *Node) Name() string { return n.opts.Name }

// Capacity is what it offers to pods, and keeps from them.
func (n *Node) Capacity() Capacity { return n.opts.Capacity }

// Ready is closed once the API shows the node with condition Ready=True.
func (n *Node) Ready() <-chan struct{} { return n.ready }

// Cut takes the node's network to the API away, as a pulled cable would: leases
// and status stop, watches break, and after the node monitor's grace period the
// control plane takes the node for lost. Pods go on running.
func (n *Node) Cut() { n.link.cut() }

// Heal undoes Cut. Both may be called any number of times.
func (n *Node) Heal() { n.link.heal() }

// PowerOff tells the kubelet that the machine is shut down and returns when its power may be cut: its
// pods have ended, those of lower priority first, or the time that its configuration gives them is
// over. If ctx ends before, the shutdown is called off.
func (n *Node) PowerOff(ctx context.Context) error {
	if err := n.logind.PowerOff(ctx); err != nil {
		return fmt.Errorf("shut node %s down: %w", n.opts.Name, err)
	}
	select {
	case <-time.After(servicesStop):
	case <-ctx.Done():
	}
	return nil
}

// servicesStop is how long a machine goes on once nobody holds its shutdown up: its services are stopped then. The
// kubelet needs some of it to write what the node and its pods were at last; a node without pods would else be
// off before it has said so.
const servicesStop = 2 * time.Second

// Boot has the kubelet go on after PowerOff; else it does nothing.
func (n *Node) Boot() { n.logind.Boot() }

// Run assembles the kubelet and runs it until ctx ends. It returns nil after
// ctx ends, and an error if the kubelet could not be assembled. A Node runs
// once: its address stays bound until the process ends, because upstream's
// kubelet has no shutdown. From the end of ctx on it is cut from the API.
func (n *Node) Run(ctx context.Context) error {
	cfg, err := n.opts.ClientConfig(ctx)
	if err != nil {
		return fmt.Errorf("node %s: client configuration: %w", n.opts.Name, err)
	}
	cfg = rest.CopyConfig(cfg)
	cfg.Wrap(n.link.wrap)
	err = kubelet.Start(ctx, kubelet.Options{
		Name:                  n.opts.Name,
		IP:                    n.opts.IP,
		Port:                  KubeletPort,
		RootDir:               n.opts.RootDir,
		Cores:                 int(n.opts.Capacity.MilliCPU / 1000),
		MemoryBytes:           n.opts.Capacity.MemoryBytes,
		EphemeralStorageBytes: n.opts.Capacity.EphemeralStorageBytes,
		Disk:                  n.opts.Disk,
		Mounts:                n.opts.Mounts,
		Pods:                  int32(n.opts.Capacity.Pods),
		Labels:                n.opts.Labels,
		Taints:                n.opts.Taints,
		Runtime:               n.opts.Runtime,
		ClientConfig:          cfg,
		ServingCert:           n.opts.ServingCert,
		ServingKey:            n.opts.ServingKey,
		ClientCA:              n.opts.ClientCA,
		File:                  n.opts.Kubelet,
		Logind:                n.logind,
		ClusterDNS:            n.opts.ClusterDNS,
		ClusterDomain:         n.opts.ClusterDomain,
		Trace:                 n.opts.Trace,
		OnReady:               func() { n.once.Do(func() { close(n.ready) }) },
	})
	if err != nil {
		return fmt.Errorf("node %s: %w", n.opts.Name, err)
	}
	<-ctx.Done()
	n.Cut()
	return nil
}
