package cluster

import (
	"context"
	"fmt"
	"net"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/attach"
)

var _ attach.Cluster = (*Cluster)(nil)

// listener is the apiserver's listener with a second entrance: connections that a tunnel brought are handed to it.
type listener struct {
	net.Listener
	handed chan net.Conn
	failed chan error // the listener's own end
	closed chan struct{}
	close  sync.Once
	open   sync.Once
}

func newListener(l net.Listener) *listener {
	return &listener{Listener: l, handed: make(chan net.Conn), failed: make(chan error, 1), closed: make(chan struct{})}
}

// Accept returns the next connection of either entrance.
func (l *listener) Accept() (net.Conn, error) {
	l.open.Do(func() { go l.acceptOwn() })
	select {
	case conn := <-l.handed:
		return conn, nil
	case err := <-l.failed:
		l.failed <- err // whoever asks again gets the same answer
		return nil, err
	}
}

func (l *listener) acceptOwn() {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			l.failed <- err
			return
		}
		if !l.hand(context.Background(), conn) {
			return
		}
	}
}

// hand hands a connection to whoever accepts; it is closed if nobody does any more.
func (l *listener) hand(ctx context.Context, conn net.Conn) bool {
	select {
	case l.handed <- conn:
		return true
	case <-l.closed:
	case <-ctx.Done():
	}
	_ = conn.Close()
	return false
}

func (l *listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// Serve hands a connection from outside to the apiserver, which speaks TLS on it and closes it.
// It waits for the apiserver to listen; the connection is closed if ctx or the cluster ends first.
func (c *Cluster) Serve(ctx context.Context, conn net.Conn) { c.listener.hand(ctx, conn) }

// Owner is AdminConfig as soon as the controllers run, whose manager signs certificates.
func (c *Cluster) Owner(ctx context.Context) (*rest.Config, error) {
	select {
	case <-c.Done(StepControllers):
		return c.AdminConfig(), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the cluster to start: %w", context.Cause(ctx))
	}
}
