package hub

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/accept"
	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/crowd"
)

// takeClients accepts connections until the listener closes or ctx is done. name is the cluster
// that they are for; empty leaves it to the server name.
func (h *Hub) takeClients(ctx context.Context, ln net.Listener, name string) error {
	defer context.AfterFunc(ctx, func() { _ = ln.Close() })()
	var serving sync.WaitGroup
	defer serving.Wait()
	for {
		conn, err := accept.Next(ctx, ln, func(err error, pause time.Duration) {
			h.opts.Log.Error("accept a client", "error", err, "again", pause)
		})
		if err != nil {
			return nil
		}
		if !h.limits.client(conn.RemoteAddr().String()) {
			_ = conn.Close()
			continue
		}
		// Until its handshake is over it is one of a crowd; then it has a share of the cluster's streams.
		guest := h.unfinished.Enter(crowd.Source(conn.RemoteAddr().String()), func() { go conn.Close() })
		serving.Go(func() {
			defer guest.Leave()
			// A client that has nothing to say would keep the hub from ending.
			defer context.AfterFunc(h.ending, func() { _ = conn.Close() })()
			if err := h.serveClient(conn, name, guest); err != nil {
				h.opts.Log.Info("a client's connection failed", "from", conn.RemoteAddr(), "error", short(err.Error()))
			}
		})
	}
}

// alertUnrecognizedName is TLS' way to say that there is nobody of that name: a fatal alert 112.
var alertUnrecognizedName = []byte{21, 3, 3, 0, 2, 2, 112}

// serveClient joins a client's connection to a stream of its cluster.
func (h *Hub) serveClient(conn net.Conn, name string, guest *crowd.Guest) error {
	defer conn.Close()
	server, again, err := peekServerName(conn)
	if err != nil {
		return fmt.Errorf("read the TLS handshake: %w", err)
	}
	if name == "" {
		name = clusterOf(server)
	}
	s, shares, err := h.clusters.find(h.ending, name)
	if err != nil {
		_, _ = conn.Write(alertUnrecognizedName)
		return err
	}
	give, err := shares.take(crowd.Source(conn.RemoteAddr().String()), false)
	if err != nil {
		return err
	}
	defer give()
	stream, err := s.Open(tunnel.Header{Kind: tunnel.KindAPI, Target: conn.RemoteAddr().String()})
	if err != nil {
		return err
	}
	// Clients come and go as they please, and a tunnel that ends takes its streams along: neither
	// is worth a line.
	again.answered = guest.Leave
	_ = tunnel.Splice(again, stream)
	return nil
}

// clusterOf is the cluster that a server name stands for; none, if it is an address' or one that
// every apiserver has.
func clusterOf(server string) string {
	name, ok := strings.CutSuffix(strings.ToLower(server), "."+tunnel.Domain)
	if !ok {
		return ""
	}
	return name
}
