package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/bootstrap"
	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/nodedial"
	"github.com/tabernetes/tabernetes/core/realnode"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// ServeRealNodes lets machines be nodes that are reached by streams of a tunnel: open opens one, or
// fails while there is no tunnel. It waits for the cluster to start, and serves until ctx is done.
func (c *Cluster) ServeRealNodes(ctx context.Context, open func(tunnel.Header) (net.Conn, error)) error {
	select {
	case <-c.Done(StepControllers): // they sign certificates
	case <-ctx.Done():
		return nil
	}
	client, err := kubernetes.NewForConfig(c.PageConfig())
	if err != nil {
		return fmt.Errorf("serve real nodes: %w", err)
	}
	// A cluster that was kept may have been made by an older version, which held nodes to less.
	if _, err := bootstrap.Renew(ctx, client, c.access.CA); err != nil {
		return fmt.Errorf("serve real nodes: %w", err)
	}
	dialler, err := tls.X509KeyPair(c.keys.APIServerKubeletClient.Cert, c.keys.APIServerKubeletClient.Key)
	if err != nil {
		return fmt.Errorf("serve real nodes: %w", err)
	}
	ca := x509.NewCertPool()
	ca.AddCert(c.keys.CA.Cert)
	s := realnode.New(realnode.Options{
		Client:      client,
		Router:      c.router,
		Trace:       c.config.Trace,
		Open:        open,
		Dialler:     dialler,
		CA:          ca,
		Pods:        netip.MustParsePrefix(confine.PodCIDR),
		PodMaskSize: confine.PodMaskSize,
		Reserved: []netip.Prefix{
			nodeNetwork, netip.MustParsePrefix(serviceCIDR), balancerPool, netip.PrefixFrom(visitorIP, 32), netip.MustParsePrefix("127.0.0.0/8"),
		},
		DialPod: c.dialFromRealNode,
	})
	c.realNodes.Store(s)
	defer c.realNodes.CompareAndSwap(s, nil)
	return s.Run(ctx)
}

// ServePod joins a real node's stream to the in-tab pod that it asks for.
func (c *Cluster) ServePod(ctx context.Context, stream net.Conn) {
	if s := c.realNodes.Load(); s != nil {
		s.ServePod(ctx, stream)
		return
	}
	_ = stream.Close()
}

var errNoInTabNodes = errors.New("this cluster has no in-tab nodes")

// dialFromRealNode is a real node's way, or its pods', to an in-tab pod: what NetworkPolicies allow.
func (c *Cluster) dialFromRealNode(ctx context.Context, from netip.Addr, to netip.AddrPort) (net.Conn, error) {
	if c.services == nil {
		return nil, errNoInTabNodes
	}
	if err := c.services.policies.Allow("tcp", from, from, to); errors.Is(err, podnet.ErrDropped) {
		return nil, fmt.Errorf("%w: %w", nodedial.ErrDropped, err)
	} else if err != nil {
		return nil, err
	}
	// A machine's own address is not one that this process can dial from.
	if !netip.MustParsePrefix(confine.PodCIDR).Contains(from) {
		from = netip.Addr{}
	}
	return c.dialFromPod(ctx, from, "tcp", to.String())
}

// Invite makes a token with which a machine can join: see bootstrap.Invite.
func (c *Cluster) Invite(ctx context.Context) (bootstrap.Invitation, error) {
	select {
	case <-c.Done(StepControllers):
	case <-ctx.Done():
		return bootstrap.Invitation{}, context.Cause(ctx)
	}
	owner := c.PageConfig()
	owner.CAData = c.access.CA
	return bootstrap.Invite(ctx, owner, 0)
}
