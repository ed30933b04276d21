package cluster

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/node/serviceproxy"
)

// DialFromLaptop connects the terminal, which stands where a laptop would: in the nodes' network, with routes to load
// balancers' addresses and external IPs. At those it goes the way that a balancer has (Visit), and is seen as a client
// from outside. address is "IP:port"; whatever is no such address is dialled as it is: a node's ports and pods answer,
// cluster IPs do not. Where nobody listens on a node's ports 80 and 443, Ingresses are served.
func (c *Cluster) DialFromLaptop(ctx context.Context, network, address string) (net.Conn, error) {
	to, err := netip.ParseAddrPort(address)
	// Nobody publishes what is the terminal's own.
	if err == nil && !to.Addr().IsLoopback() && c.published(network, to) {
		return c.dialPublished(ctx, network, to)
	}
	dial := new(net.Dialer).DialContext
	conn, direct := dial(ctx, network, address)
	if direct != nil && (to.Port() == 80 || to.Port() == 443) && c.isNode(to.Addr()) && ctx.Err() == nil {
		// Nobody listens there: the port is the Ingress controller's, as on minikube's node and kind's.
		if conn, err := dial(ctx, network, netip.AddrPortFrom(ingressIP, to.Port()).String()); err == nil {
			return conn, nil
		}
	}
	return conn, direct
}

// isNode says whether an address is that of an in-tab node that runs.
func (c *Cluster) isNode(ip netip.Addr) bool {
	return slices.ContainsFunc(c.entrances(), func(n *inTabNode) bool { return n.ip == ip.Unmap() })
}

// published says whether an address is a Service's for clients from outside. All nodes' tables have it, or will.
func (c *Cluster) published(network string, at netip.AddrPort) bool {
	for _, n := range c.entrances() {
		if n.proxy.Published(network, at) {
			return true
		}
	}
	return false
}

func (c *Cluster) dialPublished(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error) {
	way, err := c.wayIn(to)
	if errors.Is(err, podnet.ErrDropped) {
		err = serviceproxy.Silence(ctx)
	}
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: net.TCPAddrFromAddrPort(to), Err: err}
	}
	from := visitorIP
	if way.As.IsValid() {
		from = way.As
	}
	return c.dialFromPod(ctx, from, network, way.To.String())
}

// FindService is the Service that host stands for within the cluster, by its cluster IP or by a name that cluster DNS
// has; nil if there is none. Of a name without a namespace it is the one in "default", else the first.
func (c *Cluster) FindService(host string) *corev1.Service {
	if len(c.entrances()) == 0 { // and once there is a node, Services are followed
		return nil
	}
	services, _ := c.services.informers.Core().V1().Services().Lister().List(labels.Everything()) // of a cache: it cannot fail
	name, namespace, _ := strings.Cut(strings.TrimSuffix(strings.ToLower(host), "."), ".")
	namespace, zone, _ := strings.Cut(namespace, ".")
	if zone != "" && zone != "svc" && zone != "svc."+clusterDomain {
		name = "" // an address has dots, too
	}
	var found *corev1.Service
	for _, s := range services {
		switch {
		case s.Spec.ClusterIP == host:
			return s
		case s.Name != name || namespace != "" && s.Namespace != namespace:
		case found == nil || s.Namespace == metav1.NamespaceDefault || found.Namespace != metav1.NamespaceDefault && s.Namespace < found.Namespace:
			found = s
		}
	}
	return found
}
