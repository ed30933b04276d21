package serviceproxy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
)

// healthPorts answer on the healthCheckNodePort of each Service whose externalTrafficPolicy is Local: how many of its
// endpoints are on this node and ready, so that a balancer leaves out nodes that have none. What is answered is
// kube-proxy's (k8s.io/kubernetes/pkg/proxy/healthcheck), whose server listens on all of a machine's addresses, or on
// those of its interfaces: an in-tab node is one of several in a process and has none.
type healthPorts struct {
	proxy *Proxy
	open  map[types.NamespacedName]*healthPort
}

// healthPort is one that is open.
type healthPort struct {
	service   types.NamespacedName
	port      uint16
	endpoints atomic.Int64
	server    *http.Server
}

// Bounds of who asks, who is a stranger.
const (
	healthTimeout   = 10 * time.Second
	healthIdle      = 30 * time.Second
	healthMaxHeader = 8 << 10
	healthClients   = 64 // connections to one port at once
)

// set opens and closes ports, and tells each how many endpoints there are.
func (h *healthPorts) set(ctx context.Context, ports map[types.NamespacedName]uint16, local map[types.NamespacedName]int) {
	for name, p := range h.open {
		if ports[name] != p.port {
			_ = p.server.Close()
			delete(h.open, name)
		}
	}
	for name, port := range ports {
		if h.open[name] == nil {
			h.listen(ctx, name, port)
		}
		if p := h.open[name]; p != nil {
			p.endpoints.Store(int64(local[name]))
		}
	}
}

func (h *healthPorts) listen(ctx context.Context, name types.NamespacedName, port uint16) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(h.proxy.opts.IP.String(), strconv.Itoa(int(port))))
	if err != nil {
		klog.FromContext(ctx).Error(err, "Opening a health check's node port failed; another program has it, or another Service", "node", h.proxy.opts.Node, "service", name, "port", port)
		return
	}
	p := &healthPort{service: name, port: port}
	p.server = &http.Server{
		Handler: p, ReadHeaderTimeout: healthTimeout, ReadTimeout: healthTimeout, WriteTimeout: healthTimeout,
		IdleTimeout: healthIdle, MaxHeaderBytes: healthMaxHeader, ErrorLog: log.New(io.Discard, "", 0), // strangers' connections
	}
	h.open[name] = p
	go func() { _ = p.server.Serve(netutil.LimitListener(l, healthClients)) }()
}

func (h *healthPorts) close() {
	for name := range maps.Clone(h.open) {
		_ = h.open[name].server.Close()
		delete(h.open, name)
	}
}

// ServeHTTP answers 200 if a ready endpoint is on the node, 503 if not.
func (p *healthPort) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	n := p.endpoints.Load()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("X-Load-Balancing-Endpoint-Weight", strconv.FormatInt(n, 10))
	if n == 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	var answer struct {
		Service struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"service"`
		LocalEndpoints      int64 `json:"localEndpoints"`
		ServiceProxyHealthy bool  `json:"serviceProxyHealthy"`
	}
	answer.Service.Namespace, answer.Service.Name = p.service.Namespace, p.service.Name
	answer.LocalEndpoints, answer.ServiceProxyHealthy = n, true
	text, err := json.MarshalIndent(answer, "", "\t")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s", text)
	}
	_ = err // who has asked has gone
}
