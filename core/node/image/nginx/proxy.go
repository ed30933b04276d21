package nginx

import (
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
)

// proxy passes the request on to where proxy_pass says.
func (q *request) proxy() {
	target, err := url.Parse(q.expand(q.settings.proxyPass))
	if err != nil || target.Host == "" {
		q.m.errorf("error", "invalid URL in proxy_pass %q", q.settings.proxyPass)
		q.fail(http.StatusInternalServerError)
		return
	}
	host := target.Host
	var peers []string
	if up, ok := q.config.upstreams[host]; ok {
		peers = q.m.inTurn(up)
	} else {
		peers = []string{withPort(host, "80")}
	}
	uri, args := q.uri, q.args
	if target.Path != "" && q.location != nil { // its URI takes the place of the location's
		uri = target.Path + strings.TrimPrefix(q.uri, q.location.pattern)
		if target.RawQuery != "" {
			args = target.RawQuery
		}
	}
	transport := &http.Transport{DialContext: q.m.p.Net.Dial, DisableCompression: true}
	defer transport.CloseIdleConnections()
	proxy := &httputil.ReverseProxy{
		Transport: &failover{transport, peers},
		ErrorLog:  log.New(io.Discard, "", 0),
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.Out.URL = &url.URL{Scheme: "http", Host: peers[0], Path: uri, RawQuery: args}
			pr.Out.Host = host
			pr.Out.Header["X-Forwarded-For"] = pr.In.Header["X-Forwarded-For"]
			for _, h := range q.settings.proxyHeaders {
				value := q.expand(h.value)
				switch {
				case strings.EqualFold(h.name, "Host"):
					pr.Out.Host = value
				case strings.EqualFold(h.name, "Connection"), strings.EqualFold(h.name, "Upgrade"): // the proxy's own business
				case value == "":
					pr.Out.Header.Del(h.name)
				default:
					pr.Out.Header.Set(h.name, value)
				}
			}
		},
		ModifyResponse: func(resp *http.Response) error {
			resp.Header.Del("Server") // nginx shows its own
			return nil
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) {
			q.m.errorf("error", "*%d %v while connecting to upstream, client: %s, server: %s, request: %q, upstream: \"http://%s%s\", host: %q",
				q.m.stats.requests.Load(), err, q.remote(), q.serverName(), q.line(), peers[0], uri, q.r.Host)
			q.fail(http.StatusBadGateway)
		},
	}
	proxy.ServeHTTP(q.w, q.r)
}

// inTurn gives an upstream's servers, the one whose turn it is first.
func (m *master) inTurn(up *upstream) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := up.next % len(up.servers)
	up.next++
	return append(append([]string(nil), up.servers[n:]...), up.servers[:n]...)
}

// failover tries the next peer when one cannot be reached and nothing was sent.
type failover struct {
	*http.Transport
	peers []string
}

func (f *failover) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	for i, peer := range f.peers {
		try := r
		if i > 0 {
			try = r.Clone(r.Context())
			try.URL.Host = peer
		}
		if resp, err = f.Transport.RoundTrip(try); err == nil || r.Body != nil && r.ContentLength != 0 {
			return resp, err
		}
	}
	return resp, err
}
