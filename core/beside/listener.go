package beside

import (
	"context"
	"net"

	"github.com/tabernetes/tabernetes/core/accept"
)

// Hold is a listener that ends for its server only when the server itself closes it. Upstream's server panics,
// and the process with it, when its listener ends before it was told to stop
// (k8s.io/apiserver/pkg/server.RunServer); a pod's ends whenever its container is killed.
func Hold(l net.Listener) net.Listener {
	ctx, end := context.WithCancel(context.Background())
	return &held{Listener: l, ctx: ctx, end: end}
}

type held struct {
	net.Listener
	ctx context.Context // done when the server has closed it
	end context.CancelFunc
}

// Accept implements net.Listener.
func (h *held) Accept() (net.Conn, error) {
	c, err := accept.Next(h.ctx, h.Listener, nil)
	if err != nil {
		<-h.ctx.Done()
		return nil, net.ErrClosed
	}
	return c, nil
}

// Close implements net.Listener.
func (h *held) Close() error {
	err := h.Listener.Close()
	h.end()
	return err
}
