package tool

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// resolved are the addresses that curl was told: by "host:port", in lower case, * for any host.
type resolved map[string]string

// parseResolve reads values of --resolve: [+]HOST:PORT:ADDRESS[,ADDRESS]..., of whose addresses the first is
// taken.
func parseResolve(entries []string) (resolved, error) {
	known := resolved{}
	for _, entry := range entries {
		host, rest, _ := strings.Cut(strings.TrimPrefix(entry, "+"), ":")
		port, addresses, _ := strings.Cut(rest, ":")
		first, _, _ := strings.Cut(addresses, ",")
		ip, err := netip.ParseAddr(strings.Trim(first, "[]"))
		if _, wrong := strconv.ParseUint(port, 10, 16); host == "" || wrong != nil || err != nil {
			return nil, fmt.Errorf("Couldn't parse CURLOPT_RESOLVE entry '%.200s' (host:number:address)", entry) //nolint:staticcheck // curl's words
		}
		known[strings.ToLower(net.JoinHostPort(host, port))] = ip.String()
	}
	return known, nil
}

// at is the address that stands for host:port.
func (r resolved) at(hostPort string) (address string, ok bool) {
	_, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return "", false
	}
	for _, name := range []string{strings.ToLower(hostPort), net.JoinHostPort("*", port)} {
		if ip, ok := r[name]; ok {
			return net.JoinHostPort(ip, port), true
		}
	}
	return "", false
}

// knows says that u's host has an address here.
func (r resolved) knows(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	_, ok := r.at(net.JoinHostPort(u.Hostname(), port))
	return ok
}

// dial connects to where an address stands for, and to others as t does.
func (r resolved) dial(ctx context.Context, t *T, network, address string, told func(host, address string)) (net.Conn, error) {
	to, ok := r.at(address)
	if !ok {
		return t.dial(ctx, network, address, told)
	}
	host, _, _ := net.SplitHostPort(address)
	return t.dial(ctx, network, to, func(_, at string) {
		if told != nil {
			told(host, at)
		}
	})
}

// leaving sends requests outside of the cluster, but for those whose address was told.
type leaving struct {
	resolved
	inside, outside http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (l leaving) RoundTrip(r *http.Request) (*http.Response, error) {
	if l.knows(r.URL) {
		return l.inside.RoundTrip(r)
	}
	return l.outside.RoundTrip(r)
}
