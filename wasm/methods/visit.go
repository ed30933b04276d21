package methods

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/tabernetes/tabernetes/wasm/port"
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

func (p *visitParams) scheme() string {
	if p.TLS {
		return "https"
	}
	return "http"
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
			return nil, fmt.Errorf("%s %s://%.253s%.200s: %w", p.Method, p.scheme(), p.Host, p.Path, err)
		}
		return struct{}{}, nil
	}
}

func visit(ctx context.Context, c *port.Call, p visitParams, v Visited) error {
	to, err := visitedAt(p.Address, p.Path)
	if err != nil {
		return err
	}
	var body io.Reader
	if p.Body {
		body = c.Input()
	}
	req, err := http.NewRequestWithContext(ctx, p.Method, p.scheme()+"://"+p.Address+p.Path, body)
	if err != nil {
		return err
	}
	req.Host = p.Host
	for _, h := range p.Headers {
		if !ofConnection[strings.ToLower(h[0])] {
			req.Header.Add(h[0], h[1])
		}
	}
	resp, err := visitor(c, to, p.Host, v).RoundTrip(req)
	if err != nil {
		return unanswered(ctx, c, err)
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
	return &http.Transport{
		DisableKeepAlives: true, ResponseHeaderTimeout: visitHeader, MaxResponseHeaderBytes: visitHead,
		TLSClientConfig: uncheckedTLS(host),
		DialContext:     func(ctx context.Context, _, _ string) (net.Conn, error) { return dialVisited(ctx, c, to, v) },
	}
}
