package methods

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
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

// Bounds of a request of the browser view: whoever answers is a stranger.
const (
	visitConnect = 10 * time.Second
	visitHeader  = 30 * time.Second // until the answer begins
	visitHead    = 256 << 10        // bytes of an answer's headers
)

type visitParams struct {
	// Address is "IP:port".
	Address string `json:"address"`
	// TLS speaks TLS, with the host as the server's name; no certificate is asked for.
	TLS     bool        `json:"tls"`
	Host    string      `json:"host"`
	Method  string      `json:"method"`
	Path    string      `json:"path"`
	Headers [][2]string `json:"headers"`
	Body    bool        `json:"body"`
}

// Visit serves `visit`: one HTTP request to an address of the cluster, on a connection of its own, so that each may
// be led to another endpoint. Redirects are the page's to follow.
func Visit(visited func(context.Context) (Visited, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p visitParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("visit: %w", err)
		}
		v, err := visited(ctx)
		if err == nil {
			err = visit(ctx, c, p, v)
		}
		if err != nil {
			return nil, fmt.Errorf("%s http://%.253s%.200s: %w", p.Method, p.Host, p.Path, err)
		}
		return struct{}{}, nil
	}
}

func visit(ctx context.Context, c *port.Call, p visitParams, v Visited) error {
	to, err := netip.ParseAddrPort(p.Address)
	if err != nil {
		return err
	}
	path, err := url.ParseRequestURI(p.Path)
	if err != nil || path.Host != "" || path.Scheme != "" {
		return errors.New("a path begins with /")
	}
	var body io.Reader
	if p.Body {
		body = c.Input()
	}
	req, err := http.NewRequestWithContext(ctx, p.Method, "http://"+p.Address+p.Path, body)
	if err != nil {
		return err
	}
	if p.TLS {
		req.URL.Scheme = "https"
	}
	req.Host = p.Host
	for _, h := range p.Headers {
		if !ofConnection[strings.ToLower(h[0])] {
			req.Header.Add(h[0], h[1])
		}
	}
	resp, err := visitor(c, to, p.Host, v).RoundTrip(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return errors.Join(err, c.Event(map[string]string{"failed": failureOf(err)}))
	}
	defer resp.Body.Close()
	if err := c.Head(resp.StatusCode, http.StatusText(resp.StatusCode), headerPairs(resp.Header)); err != nil {
		return err
	}
	return stream(c, resp.Body)
}

// ofConnection are the headers that a page does not set: they are of the connection, or say who asks.
var ofConnection = map[string]bool{
	"host": true, "connection": true, "content-length": true, "transfer-encoding": true, "upgrade": true, "te": true,
	"trailer": true, "keep-alive": true, "proxy-authorization": true, "proxy-connection": true, "expect": true,
}

// visitor makes one connection, and tells the page where it ended.
func visitor(c *port.Call, to netip.AddrPort, host string, v Visited) *http.Transport {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return &http.Transport{
		DisableKeepAlives: true, ResponseHeaderTimeout: visitHeader, MaxResponseHeaderBytes: visitHead,
		// Whose certificate it is, is what a lesson is about: the view says that nobody has checked it.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, ServerName: host},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
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
		},
	}
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
