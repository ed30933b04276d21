package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/core/node/clusterdns"
	"github.com/tabernetes/tabernetes/core/node/netpolicy"
	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/node/serviceproxy"
	"github.com/tabernetes/tabernetes/core/pki"
)

// clusterDomain is the zone of the cluster's names; upstream's default.
const clusterDomain = "cluster.local"

// services is what in-tab nodes know of Services: one set of informers for all of them.
type services struct {
	informers informers.SharedInformerFactory
	names     *clusterdns.Resolver
	segment   *podnet.Segment // of all in-tab nodes' pods
	policies  *netpolicy.Policies
}

// followServices begins to watch Services and their endpoints, until ctx is done.
func (c *Cluster) followServices(ctx context.Context) error {
	config := c.insider(pki.KubeProxy).RESTConfig(pki.Pair{})
	config.ContentType = runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("follow Services: %w", err)
	}
	f := informers.NewSharedInformerFactory(client, 0)
	policies, err := c.followPolicies(ctx)
	if err != nil {
		return err
	}
	c.services = &services{informers: f, names: clusterdns.New(clusterDomain, f), segment: podnet.NewSegment(), policies: policies}
	f.Start(ctx.Done())
	return nil
}

// serveNames answers pods' questions at the address of cluster DNS, until ctx is done.
func (c *Cluster) serveNames(ctx context.Context) error {
	at := netip.AddrPortFrom(dnsIP, 53)
	datagrams, err := c.services.segment.Listen(at)
	if err != nil {
		return fmt.Errorf("listen for cluster DNS on %s by UDP: %w", at, err)
	}
	streams, err := new(net.ListenConfig).Listen(ctx, "tcp", at.String())
	if err != nil {
		return errors.Join(fmt.Errorf("listen for cluster DNS on %s by TCP: %w", at, err), datagrams.Close())
	}
	return c.services.names.Serve(ctx, datagrams, streams)
}

// proxy is the way of a node's pods to Services, and from there on.
func (c *Cluster) proxy(node string, ip netip.Addr) *serviceproxy.Proxy {
	return serviceproxy.New(serviceproxy.Options{
		Node: node, IP: ip, Informers: c.services.informers, Dial: c.dialFromPod, Trace: c.config.Trace,
		Pods: netip.MustParsePrefix(confine.PodCIDR), Allow: c.reaches,
	})
}

// reaches says whether what a pod sends may and can come there. Nothing leaves a node that is stopped. Where
// connections lead they find out when they are dialled; for datagrams there is no way to a machine behind the tunnel,
// nor to a node that is stopped.
func (c *Cluster) reaches(network string, from, as netip.Addr, to netip.AddrPort) error {
	if err := c.router.Refused(from); err != nil {
		return fmt.Errorf("%w: %w", podnet.ErrDropped, err)
	}
	if err := c.services.policies.Allow(network, from, as, to); err != nil || !strings.HasPrefix(network, "udp") {
		return err
	}
	for _, end := range []netip.AddrPort{netip.AddrPortFrom(from, 0), to} {
		if dial, err := c.router.Route(end.String()); err != nil || dial != nil {
			return fmt.Errorf("%w: datagrams do not reach %s from %s", podnet.ErrDropped, to, from)
		}
	}
	return nil
}

// dialFromPod is a pod's way to an address: by the router where that knows one (a machine behind the
// tunnel, a node that is stopped), else directly. Where the "kubernetes" Service leads is the apiserver's
// listener, whatever that is bound to.
func (c *Cluster) dialFromPod(ctx context.Context, from netip.Addr, network, address string) (net.Conn, error) {
	if at, ok := c.listener.Addr().(*net.TCPAddr); ok && address == netip.AddrPortFrom(apiserverIP, uint16(at.Port)).String() {
		return podnet.Dial(ctx, from, network, at.String())
	}
	dial, err := c.router.Route(address)
	if err != nil {
		return nil, err
	}
	if dial == nil {
		dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			return podnet.Dial(ctx, from, network, address)
		}
	}
	conn, err := dial(ctx, network, address)
	if err == nil {
		c.answered.note(address)
	}
	return conn, err
}
