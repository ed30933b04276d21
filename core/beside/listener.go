package beside

import (
	"errors"
	"net"
	"sync"
	"time"
)

// Hold is a listener that ends for its server only when the server itself closes it. Upstream's server panics,
// and the process with it, when its listener ends before it was told to stop
// (k8s.io/apiserver/pkg/server.RunServer); a pod's ends whenever its container is killed.
func Hold(l net.Listener) net.Listener { return &held{Listener: l, closed: make(chan struct{})} }

type held struct {
	net.Listener
	closed chan struct{}
	close  sync.Once
}

// retryAccept is how long to wait after an error that passes, such as too many open files.
const retryAccept = 100 * time.Millisecond

// Accept implements net.Listener.
func (h *held) Accept() (net.Conn, error) {
	for {
		c, err := h.Listener.Accept()
		if err == nil {
			return c, nil
		}
		if errors.Is(err, net.ErrClosed) {
			<-h.closed
			return nil, err
		}
		select {
		case <-h.closed:
			return nil, net.ErrClosed
		case <-time.After(retryAccept):
		}
	}
}

// Close implements net.Listener.
func (h *held) Close() error {
	err := h.Listener.Close()
	h.close.Do(func() { close(h.closed) })
	return err
}
