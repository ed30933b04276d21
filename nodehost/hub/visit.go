package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/crowd"
)

const (
	// enterPath is where a ticket is shown, at the Service's own host.
	enterPath  = "/.well-known/tabernetes-visit"
	passCookie = "tabernetes-visit"
	// maxVisitHead is how long headers of a Service's answer may be, in bytes; maxVisitAsk a question for a ticket.
	maxVisitHead = 256 << 10
	maxVisitAsk  = 16 << 10
)

// ticketRequest is what the page wants opened.
type ticketRequest struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Port      uint16 `json:"port"`
	// Path is where it begins: path and query.
	Path string `json:"path"`
	// Cluster is the name that the hub gave the page's.
	Cluster string `json:"cluster"`
}

// giveTicket answers with an address that opens a Service once; who asks has shown the pairing secret.
func (h *Hub) giveTicket(w http.ResponseWriter, r *http.Request) {
	var t ticketRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxVisitAsk)).Decode(&t); err != nil {
		http.Error(w, "the question cannot be read", http.StatusBadRequest)
		return
	}
	at := visitAt{VisitTarget: tunnel.VisitTarget{Name: t.Name, Namespace: t.Namespace, Port: t.Port}}
	if !tunnel.IsLabel(t.Name) || !tunnel.IsLabel(t.Namespace) || !isPath(t.Path) {
		http.Error(w, "a Service's name, its namespace and a path are needed", http.StatusBadRequest)
		return
	}
	instance := h.clusters.instance(t.Cluster)
	if instance == "" {
		http.Error(w, fmt.Sprintf("no cluster is called %q", short(t.Cluster)), http.StatusNotFound)
		return
	}
	if only, err := h.clusters.resolve(""); err != nil || only != t.Cluster {
		at.cluster = t.Cluster
	}
	ticket := h.visits.ticket(grant{host: at.host(), cluster: t.Cluster, instance: instance, path: t.Path})
	_, port, _ := net.SplitHostPort(localAddress(r))
	host := at.host()
	if port != "80" {
		host = net.JoinHostPort(host, port)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{ // to who has asked: he may have gone
		"url":  (&url.URL{Scheme: "http", Host: host, Path: enterPath, RawQuery: url.Values{"ticket": {ticket}}.Encode()}).String(),
		"host": host,
	})
}

// isPath tells whether a text is a path of the same host: "//" begins another one's.
func isPath(text string) bool {
	u, err := url.ParseRequestURI(text)
	return err == nil && strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") && !strings.Contains(text, `\`) &&
		u.Host == "" && u.Scheme == ""
}

// visit leads a browser's request to a Service. It is for browsers of this machine that somebody with the pairing secret
// has opened the Service in: they have a pass, in a cookie that no other site makes them send.
func (h *Hub) visit(w http.ResponseWriter, r *http.Request, at visitAt) {
	refuse := func(code int, why string) {
		h.opts.Log.Warn("a visit is refused", "host", short(r.Host), "from", r.RemoteAddr, "reason", why)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		http.Error(w, "Tabernetes: "+why, code)
	}
	switch {
	case !h.opts.Visits || !loopback(r.RemoteAddr) || !loopback(localAddress(r)):
		refuse(http.StatusForbidden, "Services are shown by a hub on this machine's own address, without TLS")
		return
	case !h.ownPort(r):
		refuse(http.StatusMisdirectedRequest, "this is another port than the hub's")
		return
	case at.Name == "":
		refuse(http.StatusNotFound, "a Service's address is NAME.NAMESPACE.localhost, with PORT. before it for another port than its first")
		return
	}
	if err := fromElsewhere(r); err != nil {
		refuse(http.StatusForbidden, err.Error())
		return
	}
	if r.URL.Path == enterPath {
		h.enter(w, r, at, refuse)
		return
	}
	passes, cookies := passesOf(r)
	g, ok := h.visits.pass(passes, at.host())
	if !ok || h.clusters.instance(g.cluster) != g.instance {
		refuse(http.StatusUnauthorized, "open this Service from the page of its cluster: the browser view has its own address")
		return
	}
	crowd.Known(r.Context())
	h.lead(w, r, at, g, cookies)
}

// enter takes a ticket. What leads on is a page of this host: a redirect would still count as the other site's, whose
// requests have no strict cookies.
func (h *Hub) enter(w http.ResponseWriter, r *http.Request, at visitAt, refuse func(int, string)) {
	pass, g, ok := h.visits.redeem(r.URL.Query().Get("ticket"), at.host())
	if r.Method != http.MethodGet || !ok {
		refuse(http.StatusForbidden, "this address has been used, or is too old; open the Service from its page once more")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: passCookie, Value: pass, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(passLives.Seconds())})
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	_ = entered.Execute(w, g.path) // to who has asked: he may have gone
}

var entered = template.Must(template.New("entered").Parse(`<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={{.}}">
<title>Tabernetes</title>
<a href="{{.}}">Go on</a>
`))

// lead is a reverse proxy into the cluster: one stream for each request, so that endpoints take turns.
func (h *Hub) lead(w http.ResponseWriter, r *http.Request, at visitAt, g grant, cookies string) {
	transport := &http.Transport{
		DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxVisitHead,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return h.openVisit(ctx, r.RemoteAddr, at, g) },
	}
	defer transport.CloseIdleConnections()
	(&httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1, ErrorLog: log.New(discard{}, "", 0),
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = "http", at.host(), p.In.Host
			p.Out.Header.Del("Cookie")
			if cookies != "" {
				p.Out.Header.Set("Cookie", cookies)
			}
		},
		ModifyResponse: func(resp *http.Response) error {
			kept := resp.Header.Values("Set-Cookie")
			resp.Header.Del("Set-Cookie")
			for _, one := range kept {
				if name, _, _ := strings.Cut(one, "="); strings.TrimSpace(name) != passCookie {
					resp.Header.Add("Set-Cookie", one)
				}
			}
			resp.Header.Del("Alt-Svc") // it would lead past this host
			// No other site lays something over it.
			resp.Header.Add("Content-Security-Policy", "frame-ancestors 'self'")
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			w.Header().Set("Refresh", "2") // the cluster may be back by then, as after a reload of its tab
			http.Error(w, "Tabernetes: "+short(err.Error()), http.StatusBadGateway)
		},
	}).ServeHTTP(w, r)
}

type discard struct{}

// Write implements io.Writer: what a visitor meets, he is told.
func (discard) Write(b []byte) (int, error) { return len(b), nil }

// openVisit opens a stream of the cluster's, which counts as the visitor's share of them.
func (h *Hub) openVisit(ctx context.Context, from string, at visitAt, g grant) (net.Conn, error) {
	s, shares, err := h.clusters.find(ctx, g.cluster)
	if err != nil {
		return nil, err
	}
	give, err := shares.take(crowd.Source(from), false)
	if err != nil {
		return nil, err
	}
	stream, err := s.Open(tunnel.Header{Kind: tunnel.KindVisit, Target: at.VisitTarget.String()})
	if err != nil {
		give()
		return nil, err
	}
	return &shared{Conn: stream, give: sync.OnceFunc(give)}, nil
}

// shared is a stream that gives its share back.
type shared struct {
	net.Conn
	give func()
}

// Close implements net.Conn.
func (s *shared) Close() error {
	s.give()
	return s.Conn.Close()
}

// fromElsewhere refuses what another origin, another Service's page among them, could make a browser send: all but
// going there.
func fromElsewhere(r *http.Request) error {
	site := r.Header.Get("Sec-Fetch-Site")
	goes := (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
	if (site == "cross-site" || site == "same-site") && !goes {
		return errors.New("pages of other addresses may lead to a Service, and ask it nothing")
	}
	for _, origin := range r.Header.Values("Origin") {
		if !strings.EqualFold(origin, "http://"+r.Host) && (origin != "null" || site != "same-origin") {
			return fmt.Errorf("pages of %q may not ask this Service", short(origin))
		}
	}
	return nil
}

// localAddress is where a request came in.
func localAddress(r *http.Request) string {
	if addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return addr.String()
	}
	return ""
}

// ownPort tells whether a request's host names the port that it came in by.
func (h *Hub) ownPort(r *http.Request) bool {
	_, own, err := net.SplitHostPort(localAddress(r))
	if err != nil {
		return false
	}
	_, named, err := net.SplitHostPort(r.Host)
	if err != nil {
		named = "80"
	}
	return named == own
}

func loopback(address string) bool {
	at, err := netip.ParseAddrPort(address)
	return err == nil && at.Addr().Unmap().IsLoopback()
}
