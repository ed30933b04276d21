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

// door is the apiserver's listener with a second entrance: connections that a tunnel brought.
type door struct {
	net.Listener
	brought chan net.Conn
	failed  chan error // the listener's own end
	closed  chan struct{}
	close   sync.Once
	open    sync.Once
}

func newDoor(l net.Listener) *door {
	return &door{Listener: l, brought: make(chan net.Conn), failed: make(chan error, 1), closed: make(chan struct{})}
}

// Accept returns the next connection of either entrance.
func (d *door) Accept() (net.Conn, error) {
	d.open.Do(func() { go d.acceptOwn() })
	select {
	case conn := <-d.brought:
		return conn, nil
	case err := <-d.failed:
		d.failed <- err // whoever asks again gets the same answer
		return nil, err
	}
}

func (d *door) acceptOwn() {
	for {
		conn, err := d.Listener.Accept()
		if err != nil {
			d.failed <- err
			return
		}
		if !d.bring(context.Background(), conn) {
			return
		}
	}
}

// bring hands a connection to whoever accepts; it is closed if nobody does any more.
func (d *door) bring(ctx context.Context, conn net.Conn) bool {
	select {
	case d.brought <- conn:
		return true
	case <-d.closed:
	case <-ctx.Done():
	}
	_ = conn.Close()
	return false
}

func (d *door) Close() error {
	d.close.Do(func() { close(d.closed) })
	return d.Listener.Close()
}

// Serve hands a connection from outside to the apiserver, which speaks TLS on it and closes it.
// It waits for the apiserver to listen; the connection is closed if ctx or the cluster ends first.
func (c *Cluster) Serve(ctx context.Context, conn net.Conn) { c.listener.bring(ctx, conn) }

// Owner is AdminConfig as soon as the controllers run, whose manager signs certificates.
func (c *Cluster) Owner(ctx context.Context) (*rest.Config, error) {
	select {
	case <-c.Done(StepControllers):
		return c.AdminConfig(), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the cluster to start: %w", context.Cause(ctx))
	}
}
