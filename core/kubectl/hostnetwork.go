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

// HostNetwork is the network of the terminal, which is in no pod: the tab's own, in which every
// address of the cluster can be dialled.
type HostNetwork struct {
	// Web reaches addresses outside of the cluster (Outside); nil: nothing does.
	Web http.RoundTripper
}

// Leave implements tool.Outside: requests that leave the cluster go by Web.
func (n HostNetwork) Leave(inside http.RoundTripper) http.RoundTripper { return Leaving{n.Web, inside} }

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
func (HostNetwork) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if strings.HasPrefix(network, "udp") {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errDatagrams}
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

// LookupHost implements program.Network: there is no resolver.
func (HostNetwork) LookupHost(_ context.Context, host string) ([]string, error) {
	if host == "localhost" {
		return []string{"127.0.0.1"}, nil
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return []string{host}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// IPs implements program.Network.
func (HostNetwork) IPs() []net.IP { return nil }
