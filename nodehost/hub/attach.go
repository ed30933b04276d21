package hub

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/crowd"
)

// attach turns a request into a cluster's tunnel and serves it until it ends. Host and Origin
// have been checked; the secret comes in the hello, because a browser cannot set headers on a
// WebSocket and a URL would be logged.
func (h *Hub) attach(w http.ResponseWriter, r *http.Request) {
	if !h.limits.attempt(r.RemoteAddr) {
		http.Error(w, "too many attempts; wait a moment", http.StatusTooManyRequests)
		return
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // checkBrowser is stricter
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		h.opts.Log.Info("a request for a tunnel is no WebSocket", "from", r.RemoteAddr, "error", err)
		return
	}
	// The request's context ends when this handler does.
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	wire := websocket.NetConn(ctx, ws, websocket.MessageBinary)
	defer ws.CloseNow()

	var c *cluster
	var run string
	_, _, err = tunnel.Accept(ctx, wire, func(hello tunnel.Hello) (tunnel.Welcome, error) {
		if !h.trusted(hello.Secret) {
			h.limits.failed(r.RemoteAddr)
			return tunnel.Welcome{}, &tunnel.Refusal{Reason: "the pairing secret is wrong; open the address that the hub printed", Final: true}
		}
		var err error
		run = hello.Run
		if c, err = h.clusters.claim(hello); err != nil {
			return tunnel.Welcome{}, err
		}
		return tunnel.Welcome{Name: c.name, ServerName: tunnel.ServerName(c.name), Addresses: h.addresses(c), CertHash: h.opts.CertHash}, nil
	})
	if errors.Is(err, io.EOF) {
		return // it asked just whether the hub answers: see tunnel.Client
	}
	if err != nil {
		h.opts.Log.Warn("a tunnel is refused", "from", r.RemoteAddr, "error", short(err.Error()))
		_ = ws.Close(websocket.StatusPolicyViolation, "refused")
		return
	}
	s, err := tunnel.NewHubSession(wire, h.dialOptions(func() string { return c.name }))
	if err != nil {
		h.opts.Log.Error("a tunnel failed", "cluster", c.name, "error", err)
		return
	}
	crowd.Known(r.Context())
	h.clusters.attach(c, run, s)
	h.opts.Log.Info("attached", "cluster", c.name, "from", r.RemoteAddr)
	ended := s.Serve(ctx) // the cluster dials its nodes
	h.clusters.detach(c, s)
	_ = s.Close()
	h.opts.Log.Info("detached", "cluster", c.name, "reason", short(ended.Error()))
}
