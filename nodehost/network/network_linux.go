package network

import (
	"context"
	"fmt"
	"net/netip"

	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/group"
	"github.com/tabernetes/tabernetes/nodehost/cni"
	"github.com/tabernetes/tabernetes/nodehost/dns"
	"github.com/tabernetes/tabernetes/nodehost/intab"
	"github.com/tabernetes/tabernetes/nodehost/localaddr"
	"github.com/tabernetes/tabernetes/nodehost/overlay"
	"github.com/tabernetes/tabernetes/nodehost/proxy"
)

// part is one component.
type part struct {
	name string
	part interface {
		Run(context.Context) error
		Ready() <-chan struct{}
	}
}

// Network is a node's network.
type Network struct {
	first []part // ways, Services, the API server, names
	pods  part
	ready chan struct{}
}

// New checks the options; nothing is changed before Run.
func New(o Options) (*Network, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	n := &Network{ready: make(chan struct{})}
	mtu := 0
	if o.Existing == "" {
		ways := o.overlay()
		if ways.Client, err = kubernetes.NewForConfig(o.API); err != nil {
			return nil, fmt.Errorf("network: %w", err)
		}
		v, err := overlay.New(ways)
		if err != nil {
			return nil, err
		}
		mtu = v.PodMTU()
		if o.DialPod != nil {
			w, err := intab.New(intab.Options{MTU: mtu, Dial: o.DialPod, Log: o.Log})
			if err != nil {
				return nil, err
			}
			n.first = append(n.first, part{"way to in-tab pods", w})
		}
		n.first = append(n.first, part{"ways to other nodes", v})
	}
	var local func(context.Context, netip.Addr) bool
	if o.Existing != "" {
		// Where their pods' addresses are from is theirs to say, and which there are the runtime's.
		local = localaddr.NewCallers(o.IP, o.PodAddresses).Local
	}
	services, err := proxy.New(proxy.Options{Client: o.API, NodeName: o.Node, NodeIP: o.IP, PodCIDRs: o.PodCIDRs, Mode: o.Proxy, Log: o.Log})
	if err != nil {
		return nil, err
	}
	forwarder, err := proxy.NewAPIForwarder(proxy.APIForwarderOptions{Client: o.API, Dial: o.Dial, Pods: o.PodCIDRs, Local: local, Log: o.Log})
	if err != nil {
		return nil, err
	}
	names, err := dns.New(dns.Options{Client: o.API, Pods: o.PodCIDRs, Local: local, ResolvConf: o.ResolvConf, Domain: o.Domain, Log: o.Log})
	if err != nil {
		return nil, err
	}
	interfaces, err := cni.New(o.cni(mtu))
	if err != nil {
		return nil, err
	}
	n.first = append(n.first, part{"kube-proxy", services}, part{"pods' way to the API server", forwarder}, part{"name server", names})
	n.pods = part{"pods' interfaces", interfaces}
	return n, nil
}

// Ready is closed when pods can be made that have all of it.
func (n *Network) Ready() <-chan struct{} { return n.ready }

// Run runs all of it until ctx is done or one part fails.
func (n *Network) Run(ctx context.Context) error {
	ctx, parts := group.New(ctx)
	run := func(p part) { parts.Go(p.name, func() error { return p.part.Run(ctx) }) }
	for _, p := range n.first {
		run(p)
	}
	for _, p := range append(n.first, n.pods) {
		if p == n.pods {
			run(p)
		}
		select {
		case <-p.part.Ready():
		case <-ctx.Done():
		}
	}
	if ctx.Err() == nil {
		close(n.ready)
	}
	<-ctx.Done()
	if err := parts.Wait(); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	return nil
}
