package kubectl

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// HostNetwork is the network of the terminal, which is in no pod: that of the nodes, as a laptop beside them has it.
type HostNetwork struct {
	// Laptop leads to what a cluster has for clients outside of it; nil where there is no cluster.
	Laptop Laptop
	// Web reaches addresses outside of the cluster (Outside); nil: nothing does.
	Web http.RoundTripper
}

// Leave implements tool.Outside: requests that leave the cluster go by Web.
func (n HostNetwork) Leave(inside http.RoundTripper) http.RoundTripper {
	return Leaving{Web: n.Web, Inside: inside}
}

var _ program.Network = HostNetwork{}

// Listen implements program.Network.
func (HostNetwork) Listen(ctx context.Context, network, address string) (net.Listener, error) {
	return new(net.ListenConfig).Listen(ctx, network, address)
}

// errDatagrams: pods' datagrams are carried among pods (podnet.Segment).
var errDatagrams = errors.New("the terminal sends no datagrams; use a pod: kubectl run -it --rm --image=busybox NAME -- sh")

// ListenPacket implements program.Network.
func (HostNetwork) ListenPacket(_ context.Context, network, _ string) (net.PacketConn, error) {
	return nil, &net.OpError{Op: "listen", Net: network, Err: errDatagrams}
}

// Dial implements program.Network.
func (n HostNetwork) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if strings.HasPrefix(network, "udp") {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errDatagrams}
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	ips, err := n.LookupHost(ctx, host)
	if err != nil {
		return nil, err
	}
	dial := new(net.Dialer).DialContext
	if n.Laptop != nil {
		dial = n.Laptop.DialFromLaptop
	}
	conn, err := dial(ctx, network, net.JoinHostPort(ips[0], port))
	if err != nil {
		return nil, n.explain(host, err)
	}
	return conn, nil
}

// LookupHost implements program.Network: there is no resolver.
func (n HostNetwork) LookupHost(_ context.Context, host string) ([]string, error) {
	if host == "localhost" {
		return []string{"127.0.0.1"}, nil
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return []string{host}, nil
	}
	return nil, n.explain(host, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true})
}

// IPs implements program.Network.
func (HostNetwork) IPs() []net.IP { return nil }
