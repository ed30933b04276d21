package hub

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/crowd"
)

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
	n := &attachedNode{from: r.RemoteAddr, streams: rate.NewLimiter(clientsPerSecond, clientBurst)}
	_, _, err = tunnel.Accept(ctx, wire, func(hello tunnel.Hello) (tunnel.Welcome, error) {
		name, err := h.clusters.resolve(hello.Name)
		if err != nil {
			return tunnel.Welcome{}, &tunnel.Refusal{Reason: err.Error()}
		}
		n.cluster, n.route = name, routeOf(hello.Instance)
		if !h.nodes.knows(n.cluster, n.route) && !h.limits.hello(r.RemoteAddr) {
			return tunnel.Welcome{}, &tunnel.Refusal{Reason: "too many machines that are no nodes yet come from there; wait a moment"}
		}
		return tunnel.Welcome{Name: name, ServerName: tunnel.ServerName(name), Route: n.route, Seen: from(r)}, nil
	})
	if errors.Is(err, io.EOF) {
		return // as in attach
	}
	if err != nil {
		h.opts.Log.Warn("a node is refused", "from", r.RemoteAddr, "error", short(err.Error()))
		_ = ws.Close(websocket.StatusPolicyViolation, "refused")
		return
	}
	n.known = func() { crowd.Known(r.Context()) }
	n.session, err = tunnel.NewHubSession(wire, tunnel.Options{
		Log:        h.opts.Log,
		MaxStreams: unknownStreams,
		Authorise:  onlyTheCluster,
		Handle: func(ctx context.Context, header tunnel.Header, stream net.Conn) {
			h.toCluster(ctx, n, header.Kind, stream)
		},
	})
	if err != nil {
		h.opts.Log.Error("a node's tunnel failed", "error", err)
		return
	}
	defer n.session.Close()
	if err := h.nodes.attach(n); err != nil {
		h.opts.Log.Warn("a node is refused", "from", r.RemoteAddr, "error", err)
		return
	}
	h.opts.Log.Info("node attached", "cluster", n.cluster, "from", r.RemoteAddr)
	_ = n.session.Serve(ctx)
	h.nodes.detach(n)
	h.opts.Log.Info("node detached", "cluster", n.cluster, "from", r.RemoteAddr)
}

// onlyTheCluster lets a node reach its cluster's apiserver and in-tab pods, and nothing else.
func onlyTheCluster(h tunnel.Header) error {
	if h.Kind != tunnel.KindAPI && h.Kind != tunnel.KindPod {
		return fmt.Errorf("a node opens no streams of kind %d", h.Kind)
	}
	return nil
}

// toCluster joins a node's stream to one of its cluster.
func (h *Hub) toCluster(ctx context.Context, n *attachedNode, kind tunnel.Kind, stream net.Conn) {
	defer stream.Close()
	// A node that the cluster has counts for itself, any other machine as a client from there.
	known := h.nodes.knows(n.cluster, n.route)
	if kind == tunnel.KindPod && !known {
		h.opts.Log.Info("a machine that is no node asks for a pod", "from", n.from)
		return
	}
	source, room := crowd.Source(n.from), n.streams.Allow
	if known {
		source = "node " + n.route
	} else {
		room = func() bool { return h.limits.client(n.from) }
	}
	if !room() {
		h.opts.Log.Info("a node opens connections too fast", "from", n.from)
		return
	}
	s, shares, err := h.clusters.find(ctx, n.cluster)
	if err != nil {
		return
	}
	give, err := shares.take(source, known)
	if err != nil {
		h.opts.Log.Info("a node's connection failed", "from", n.from, "error", err)
		return
	}
	defer give()
	to, err := s.Open(tunnel.Header{Kind: kind, Target: n.from})
	if err != nil {
		h.opts.Log.Info("a node's connection failed", "from", n.from, "error", err)
		return
	}
	_ = tunnel.Splice(stream, to)
}

// dialOptions are a cluster's tunnel's: it may dial its nodes, and what was named outside.
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
		Log: h.opts.Log,
		Authorise: func(header tunnel.Header) error {
			switch header.Kind {
			case tunnel.KindRoutes:
				return nil
			case tunnel.KindOutside:
				return h.opts.Outside.Leads(header.Target)
			}
			_, _, err := find(header)
			return err
		},
		Handle: func(ctx context.Context, header tunnel.Header, stream net.Conn) {
			defer stream.Close()
			switch header.Kind {
			case tunnel.KindRoutes:
				h.nodes.learn(cluster(), stream)
				return
			case tunnel.KindOutside:
				h.leadOutside(ctx, cluster(), header.Target, stream)
				return
			}
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

// from is the IP address that a request comes from.
func from(r *http.Request) string {
	a, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return "" // a unix socket
	}
	return a.Addr().Unmap().String()
}
