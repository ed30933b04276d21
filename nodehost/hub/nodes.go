package hub

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// maxNodes bounds how many nodes may be attached, of all clusters.
const maxNodes = 1024

// nodes are the machines that are attached, by route. A node shows no secret: all that it gets is
// what a client's connection gets, a way to an apiserver that asks for credentials itself. What it
// is to a cluster is in its Node object, which the Node authorizer guards: the node writes its
// route there, and the cluster dials the routes that it reads there.
type nodes struct {
	mu      sync.Mutex
	byRoute map[string]*attachedNode
	closed  bool
}

type attachedNode struct {
	cluster string
	session *tunnel.Session
}

// routeOf is a hash of what only the node knows: it stays the same as often as the node comes
// back, and nobody else can come by it.
func routeOf(instance string) string {
	sum := sha256.Sum256([]byte("tabernetes route of a node\n" + instance))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:]))
}

// attachNode turns a request into a node's tunnel and serves it until it ends.
func (h *Hub) attachNode(w http.ResponseWriter, r *http.Request) {
	// Browsers always send one with a WebSocket: no page can pose as a node.
	if r.Header.Get("Origin") != "" {
		http.Error(w, "a page is no node", http.StatusForbidden)
		return
	}
	if !h.limits.client(r.RemoteAddr) {
		http.Error(w, "too many attempts; wait a moment", http.StatusTooManyRequests)
		return
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // there is no origin
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		h.opts.Log.Info("a request for a node's tunnel is no WebSocket", "from", r.RemoteAddr, "error", err)
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	wire := websocket.NetConn(ctx, ws, websocket.MessageBinary)
	defer ws.CloseNow()
	n := &attachedNode{}
	hello, welcome, err := tunnel.Accept(ctx, wire, func(hello tunnel.Hello) (tunnel.Welcome, error) {
		name, err := h.clusters.resolve(hello.Name)
		if err != nil {
			return tunnel.Welcome{}, &tunnel.Refusal{Reason: err.Error()}
		}
		n.cluster = name
		return tunnel.Welcome{Name: name, ServerName: tunnel.ServerName(name), Route: routeOf(hello.Instance), Seen: from(r)}, nil
	})
	if err != nil {
		h.opts.Log.Warn("a node is refused", "from", r.RemoteAddr, "cluster", hello.Name, "error", err)
		_ = ws.Close(websocket.StatusPolicyViolation, "refused")
		return
	}
	n.session, err = tunnel.NewHubSession(wire, tunnel.Options{
		Log:       h.opts.Log,
		Authorise: onlyAPI,
		Handle: func(ctx context.Context, _ tunnel.Header, stream net.Conn) {
			h.toCluster(ctx, n.cluster, r.RemoteAddr, stream)
		},
	})
	if err != nil {
		h.opts.Log.Error("a node's tunnel failed", "error", err)
		return
	}
	defer n.session.Close()
	if err := h.nodes.attach(welcome.Route, n); err != nil {
		h.opts.Log.Warn("a node is refused", "from", r.RemoteAddr, "error", err)
		return
	}
	h.opts.Log.Info("node attached", "cluster", n.cluster, "from", r.RemoteAddr)
	_ = n.session.Serve(ctx)
	h.nodes.detach(welcome.Route, n)
	h.opts.Log.Info("node detached", "cluster", n.cluster, "from", r.RemoteAddr)
}

// onlyAPI lets a node reach its cluster's apiserver, and nothing else.
func onlyAPI(h tunnel.Header) error {
	if h.Kind != tunnel.KindAPI {
		return fmt.Errorf("a node opens no streams of kind %d", h.Kind)
	}
	return nil
}

// toCluster joins a node's stream to one of its cluster.
func (h *Hub) toCluster(ctx context.Context, cluster, from string, stream net.Conn) {
	defer stream.Close()
	finding, cancel := context.WithTimeout(ctx, patience)
	s, err := h.clusters.find(finding, cluster)
	cancel()
	if err != nil {
		return
	}
	to, err := s.Open(tunnel.Header{Kind: tunnel.KindAPI, Target: from})
	if err != nil {
		h.opts.Log.Info("a node's connection failed", "from", from, "error", err)
		return
	}
	_ = tunnel.Splice(stream, to)
}

// dialOptions are a cluster's tunnel's: it may dial its nodes.
func (h *Hub) dialOptions(cluster func() string) tunnel.Options {
	find := func(header tunnel.Header) (*tunnel.Session, string, error) {
		route, address, ok := strings.Cut(header.Target, " ")
		if header.Kind != tunnel.KindDial || !ok {
			return nil, "", fmt.Errorf("a cluster opens no streams of kind %d here", header.Kind)
		}
		s, err := h.nodes.find(route, cluster())
		return s, address, err
	}
	return tunnel.Options{
		Log:       h.opts.Log,
		Authorise: func(header tunnel.Header) error { _, _, err := find(header); return err },
		Handle: func(_ context.Context, header tunnel.Header, stream net.Conn) {
			defer stream.Close()
			s, address, err := find(header)
			if err != nil {
				return
			}
			to, err := s.Open(tunnel.Header{Kind: tunnel.KindDial, Target: address})
			if err != nil {
				return
			}
			_ = tunnel.Splice(stream, to)
		},
	}
}

// attach puts a node in place; a session that it had before is ended.
func (n *nodes) attach(route string, a *attachedNode) error {
	n.mu.Lock()
	old := n.byRoute[route]
	if n.closed || old == nil && len(n.byRoute) >= maxNodes {
		n.mu.Unlock()
		return fmt.Errorf("%d nodes are attached, more are not allowed", maxNodes)
	}
	n.byRoute[route] = a
	n.mu.Unlock()
	if old != nil {
		_ = old.session.Close()
	}
	return nil
}

// detach takes a node away, unless it has come back meanwhile.
func (n *nodes) detach(route string, a *attachedNode) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.byRoute[route] == a {
		delete(n.byRoute, route)
	}
}

// find is the session of a cluster's node.
func (n *nodes) find(route, cluster string) (*tunnel.Session, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if a := n.byRoute[route]; a != nil && a.cluster == cluster {
		return a.session, nil
	}
	return nil, errors.New("the node is not attached to the hub")
}

func (n *nodes) close() {
	n.mu.Lock()
	n.closed = true
	var sessions []*tunnel.Session
	for _, a := range n.byRoute {
		sessions = append(sessions, a.session)
	}
	n.mu.Unlock()
	for _, s := range sessions {
		_ = s.Close()
	}
}

// from is the IP address that a request comes from.
func from(r *http.Request) string {
	a, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return "" // a unix socket
	}
	return a.Addr().Unmap().String()
}
