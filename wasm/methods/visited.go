package methods

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// Visited connects to addresses of the cluster from outside of it; *cluster.Cluster does.
type Visited interface {
	Visit(ctx context.Context, to netip.AddrPort) (net.Conn, netip.AddrPort, error)
}

var _ Visited = (*cluster.Cluster)(nil)

// Bounds of what the browser view asks for, requests and WebSockets: whoever answers is a stranger.
const (
	visitConnect = 10 * time.Second
	visitHeader  = 30 * time.Second // until the answer begins
	visitHead    = 256 << 10        // bytes of an answer's headers
)

// visitedAt is where a page wants to go: an address "IP:port", and a path that leads nowhere else.
func visitedAt(address, path string) (netip.AddrPort, error) {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.AddrPort{}, err
	}
	at, err := url.ParseRequestURI(path)
	if err != nil || at.Host != "" || at.Scheme != "" {
		return netip.AddrPort{}, errors.New("a path begins with /")
	}
	return to, nil
}

// uncheckedTLS asks the host of a page for no certificate: whose it is, is what a lesson is about, and the view says that
// nobody has checked it.
func uncheckedTLS(host string) *tls.Config {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return &tls.Config{InsecureSkipVerify: true, ServerName: host}
}

// dialVisited connects by the data path, and tells the page where that ended.
func dialVisited(ctx context.Context, c *port.Call, to netip.AddrPort, v Visited) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, visitConnect)
	defer cancel()
	conn, endpoint, err := v.Visit(ctx, to)
	if err != nil {
		return nil, err
	}
	if err := c.Event(map[string]string{"endpoint": endpoint.String()}); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// unanswered tells the page why there was no answer. A page that has gone on needs no reason.
func unanswered(ctx context.Context, c *port.Call, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return errors.Join(err, c.Event(map[string]string{"failed": failureOf(err)}))
}

// failureOf says why there was no answer: "refused", "dropped", "late", "stopped", or "broken".
func failureOf(err error) string {
	var timeout net.Error
	switch {
	case errors.Is(err, podnet.ErrDropped):
		return "dropped"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, cluster.ErrStopped), errors.Is(err, cluster.ErrNoWayIn):
		return "stopped"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "late"
	default:
		return "broken"
	}
}
