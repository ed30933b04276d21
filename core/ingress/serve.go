package ingress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"k8s.io/klog/v2"
)

// Bounds of a client, who is a stranger.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 75 * time.Second // nginx' keepalive_timeout
	maxHeader     = 64 << 10
	maxClients    = 512  // connections at once
	maxStreams    = 32   // requests at once on one of HTTP/2
	maxRequests   = 1024 // at once, of all
	tries         = 3    // endpoints that are dialled for a request
	connectWithin = 5 * time.Second
)

// endpointsKey is where a request's endpoints are in its context.
type endpointsKey struct{}

// Serve answers at plain by HTTP and at secured by TLS, until ctx is done; it closes both.
func (c *Controller) Serve(ctx context.Context, plain, secured net.Listener) error {
	handler := c.handler()
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog:  log.New(io.Discard, "", 0), // what strangers' connections end with
		TLSConfig: c.tlsConfig(),
		HTTP2:     &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	clients := make(chan struct{}, maxClients)
	ended := make(chan error, 2)
	go func() { ended <- server.Serve(&limited{plain, clients}) }()
	go func() { ended <- server.ServeTLS(&limited{secured, clients}, "", "") }()
	err := <-ended
	_ = server.Close()
	<-ended
	if ctx.Err() != nil || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve Ingresses at %s: %w", plain.Addr(), err)
}

// limited refuses connections beyond so many at once.
type limited struct {
	net.Listener
	clients chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.clients <- struct{}{}:
			return &client{Conn: conn, clients: l.clients, open: true}, nil
		default:
			_ = conn.Close()
		}
	}
}

// handler leads requests to endpoints.
func (c *Controller) handler() http.Handler {
	transport := &http.Transport{
		// Who asks again may be led elsewhere, and an endpoint that goes takes nobody's request with it.
		DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: 256 << 10,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return c.dial(ctx, network)
		},
	}
	proxy := &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", "endpoint", r.In.Host
			r.SetXForwarded() // what the client said of itself is dropped
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			klog.FromContext(r.Context()).V(2).Info("An Ingress's endpoint did not answer", "reason", err)
			status(w, http.StatusBadGateway)
		},
	}
	requests := make(chan struct{}, maxRequests)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case requests <- struct{}{}:
			defer func() { <-requests }()
		default:
			status(w, http.StatusServiceUnavailable)
			return
		}
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		to, ok := c.routes.Load().find(host, r.URL.Path)
		switch {
		case !ok:
			status(w, http.StatusNotFound)
			return
		case r.TLS == nil && !to.plain && c.named(r.Context(), host) != nil:
			secured := url.URL{Scheme: "https", Host: host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
			w.Header().Set("Location", secured.String())
			status(w, http.StatusPermanentRedirect)
			return
		}
		endpoints := c.awaitEndpoints(r.Context(), to)
		if len(endpoints) == 0 {
			status(w, http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), endpointsKey{}, endpoints)))
	})
}

// dial connects to one of the request's endpoints, and to another if it does not answer.
func (c *Controller) dial(ctx context.Context, network string) (conn net.Conn, err error) {
	endpoints, _ := ctx.Value(endpointsKey{}).([]string)
	order := rand.Perm(len(endpoints))
	err = errors.New("the request has no endpoints")
	for _, i := range order[:min(len(order), tries)] {
		within, cancel := context.WithTimeout(ctx, connectWithin)
		conn, err = c.opts.Dial(within, network, endpoints[i])
		cancel()
		if err == nil {
			return conn, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

// status answers in the words that browsers show of such a controller.
func status(w http.ResponseWriter, code int) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	fmt.Fprintf(w, "%d %s\n", code, http.StatusText(code))
}
