package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"

	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/bootstrap"
	"github.com/tabernetes/tabernetes/core/confine"
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
	return realnode.Run(ctx, realnode.Options{
		Client:      client,
		Router:      c.router,
		Trace:       c.config.Trace,
		Open:        open,
		Dialler:     dialler,
		CA:          ca,
		Pods:        netip.MustParsePrefix(confine.PodCIDR),
		PodMaskSize: confine.PodMaskSize,
		Reserved: []netip.Prefix{
			nodeNetwork, netip.MustParsePrefix(serviceCIDR), balancerPool, netip.MustParsePrefix("127.0.0.0/8"),
		},
	})
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
