package hub

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/crowd"
	"github.com/tabernetes/tabernetes/nodehost/outside"
)

// Options of a hub.
type Options struct {
	// Secret is the pairing secret; at least 16 bytes.
	Secret string
	// Hosts are the "host:port" by which browsers may reach the hub, beside its loopback names.
	Hosts []string
	// Origins are the origins ("https://example.org") of pages that may attach, beside the pages
	// that the hub's own hosts serve.
	Origins []string
	// CertHash is the pin of the certificate that the hub is served with, for clusters to pass on.
	CertHash string
	// Site answers everything that is not the hub's; nil answers 404.
	Site http.Handler
	// ClientListener takes the TLS connections of clients.
	ClientListener net.Listener
	// Ports, if not nil, opens a listener for one cluster alone, so that its clients need no
	// server name. It is called once for each name.
	Ports func(name string) (net.Listener, error)
	// Visits leads browsers of this machine to Services of clusters, at http://NAME.NAMESPACE.localhost:PORT/. For a
	// hub that listens on loopback only, without TLS: its certificate would not have these names.
	Visits bool
	// Outside is where clusters' API servers are led beyond their cluster; nil leads nowhere.
	Outside outside.Addresses
	// Log gets events; names and addresses, never a secret and never content.
	Log *slog.Logger
}

// Hub is a running hub: an http.Handler, and the clients' listener.
type Hub struct {
	opts     Options
	secret   [sha256.Size]byte
	hosts    map[string]bool // lower case; of unix sockets and of listeners, see AllowHost
	origins  map[string]bool
	clusters *registry
	nodes    nodes
	limits   *limits
	visits   visits
	outside  outsideShares
	// unfinished are the clients whose TLS handshake is under way.
	unfinished crowd.Crowd
	conns      sync.WaitGroup
	ending     context.Context // done when the hub ends
	end        context.CancelFunc
}

// minSecret is the least length of a pairing secret, in bytes.
const minSecret = 16

// New checks the options.
func New(o Options) (*Hub, error) {
	if len(o.Secret) < minSecret {
		return nil, fmt.Errorf("hub: a pairing secret of at least %d bytes is needed", minSecret)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Log = tunnel.Sparing(o.Log)
	if o.Site == nil {
		o.Site = http.NotFoundHandler()
	}
	h := &Hub{
		opts: o, secret: sha256.Sum256([]byte(o.Secret)),
		hosts: map[string]bool{}, origins: map[string]bool{},
		limits: newLimits(), nodes: newNodes(),
		unfinished: crowd.Crowd{PerSource: unfinishedPerSource, All: maxUnfinished},
	}
	h.clusters = newRegistry(h)
	h.ending, h.end = context.WithCancel(context.Background())
	for _, host := range o.Hosts {
		h.allow(host)
	}
	for _, origin := range o.Origins {
		h.origins[strings.ToLower(origin)] = true
	}
	return h, nil
}

// AllowAddress lets browsers reach the hub by the address of a listener: by its loopback names
// if it is one of loopback or of all addresses, and by the address itself.
func (h *Hub) AllowAddress(addr net.Addr) {
	ap, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return
	}
	port := fmt.Sprint(ap.Port())
	if ap.Addr().IsLoopback() || ap.Addr().IsUnspecified() {
		for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
			h.allow(net.JoinHostPort(name, port))
		}
	}
	if !ap.Addr().IsUnspecified() {
		h.allow(net.JoinHostPort(ap.Addr().String(), port))
	}
}

// allow lets browsers use the hub by "host:port". They leave a scheme's own port out.
func (h *Hub) allow(host string) {
	host = strings.ToLower(host)
	h.hosts[host] = true
	h.origins["http://"+host] = true
	h.origins["https://"+host] = true
	for port, scheme := range map[string]string{":80": "http://", ":443": "https://"} {
		if name, ok := strings.CutSuffix(host, port); ok {
			h.hosts[name] = true
			h.origins[scheme+name] = true
		}
	}
}

// trusted compares in constant time, whatever the length.
func (h *Hub) trusted(secret string) bool {
	got := sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(got[:], h.secret[:]) == 1
}

// ServeHTTP serves the site and the hub's own paths.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Context().Value(onSocket{}) == nil && !h.limits.request(r.RemoteAddr) && !h.trusted(bearer(r)) {
		w.Header().Set("Connection", "close") // and what else was sent on it is not looked at
		http.Error(w, "too many requests come from there; wait a moment", http.StatusTooManyRequests)
		return
	}
	if at, ok := visitHost(r.Host); ok {
		h.visit(w, r, at)
		return
	}
	if !strings.HasPrefix(r.URL.Path, "/hub/") {
		h.opts.Site.ServeHTTP(w, r)
		return
	}
	if r.ContentLength != 0 { // a body that comes drop by drop
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyPatience))
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.URL.Path == "/hub/v1/node" && r.Method == http.MethodGet {
		h.attachNode(w, r) // from other machines, whatever they call this one
		return
	}
	if err := h.checkBrowser(r); err != nil {
		h.opts.Log.Warn("a request is refused", "path", short(r.URL.Path), "from", r.RemoteAddr, "reason", err)
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	switch {
	case r.URL.Path == "/hub/v1/tunnel" && r.Method == http.MethodGet:
		h.attach(w, r)
	case r.URL.Path == "/hub/v1/clusters" && r.Method == http.MethodGet:
		h.authenticated(w, r, h.list)
	case r.URL.Path == "/hub/v1/visit" && r.Method == http.MethodPost && h.opts.Visits:
		h.authenticated(w, r, h.giveTicket)
	case r.URL.Path == "/hub/v1/access" && r.Method == http.MethodPost:
		h.authenticated(w, r, h.ask)
	default:
		http.NotFound(w, r)
	}
}

// onSocket marks the context of requests that came over a unix socket, whose file is the check.
type onSocket struct{}

// Socket is a ConnContext for an http.Server that serves the hub on a unix socket.
func Socket(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, onSocket{}, true)
}

// checkBrowser refuses what another site could make a browser send: a Host that is not ours
// (a foreign name that was made to resolve to this machine), or a foreign Origin.
func (h *Hub) checkBrowser(r *http.Request) error {
	if r.Context().Value(onSocket{}) != nil {
		return nil
	}
	if !h.hosts[strings.ToLower(r.Host)] {
		return fmt.Errorf("the host %q is not this hub's; start it with --host to allow it", short(r.Host))
	}
	for _, origin := range r.Header.Values("Origin") {
		if !h.origins[strings.ToLower(origin)] {
			return fmt.Errorf("pages of %q may not use this hub; start it with --origin to allow them", short(origin))
		}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" && r.Header.Get("Origin") == "" {
		return errors.New("requests from other sites are refused")
	}
	return nil
}

// short is what is said of a text that a stranger wrote.
func short(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// bearer is the token of a request, empty if there is none.
func bearer(r *http.Request) string {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return token
}

// authenticated wants the pairing secret as a bearer token. A request without one is no guess: any
// page can make a browser send those.
func (h *Hub) authenticated(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	token := bearer(r)
	ok := token != ""
	if ok && !h.limits.attempt(r.RemoteAddr) {
		http.Error(w, "too many attempts; wait a moment", http.StatusTooManyRequests)
		return
	}
	if !ok || !h.trusted(token) {
		if ok {
			h.limits.failed(r.RemoteAddr)
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "the pairing secret is needed", http.StatusUnauthorized)
		return
	}
	crowd.Known(r.Context())
	next(w, r)
}

// Run takes clients until ctx is done; it then ends every tunnel and every connection.
func (h *Hub) Run(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- h.takeClients(ctx, h.opts.ClientListener, "") }()
	stop := func() {
		_ = h.opts.ClientListener.Close()
		h.clusters.close()
		h.nodes.close()
		h.end()
	}
	defer context.AfterFunc(ctx, stop)()
	err := <-done
	stop()
	h.conns.Wait()
	return err
}

// How long a client waits for a cluster that is known and not attached: for patience, and for one whose tunnel has just
// ended until comeback after that. A busy tab takes longer than patience to dial again; a client in Go gives up a
// TLS handshake after ten.
const (
	patience = 3 * time.Second
	comeback = 9 * time.Second
)

// bodyPatience is how long a request's body may take to come.
const bodyPatience = 10 * time.Second

// How many clients may be in their TLS handshake, of one source and of all.
const (
	unfinishedPerSource = 256
	maxUnfinished       = 1024
)
