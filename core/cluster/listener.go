package cluster

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/accept"
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
		conn, err := accept.Next(context.Background(), l.Listener, func(err error, pause time.Duration) {
			klog.ErrorS(err, "The API server's port cannot accept a connection", "again", pause)
		})
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

// share is the listener for one server of several that follow one another: it ends with the server, and the listener
// stays.
type share struct {
	*listener
	ended chan struct{}
	end   sync.Once
	left  chan struct{} // closed when its server is left behind

	mu    sync.Mutex
	conns map[net.Conn]struct{} // nil when they have been cut
}

func (l *listener) share() *share {
	return &share{listener: l, ended: make(chan struct{}), left: make(chan struct{}), conns: map[net.Conn]struct{}{}}
}

// Accept returns the next connection, as long as the share is not closed.
func (s *share) Accept() (net.Conn, error) {
	s.open.Do(func() { go s.acceptOwn() })
	select {
	case <-s.ended:
		return nil, net.ErrClosed
	case <-s.left:
		<-s.ended // an error would end the process: upstream's server panics that was not told to stop listening
		return nil, net.ErrClosed
	default:
	}
	select {
	case <-s.ended:
		return nil, net.ErrClosed
	case <-s.left:
		<-s.ended
		return nil, net.ErrClosed
	case conn := <-s.handed:
		return s.keep(conn), nil
	case err := <-s.failed:
		s.failed <- err
		return nil, err
	}
}

func (s *share) keep(conn net.Conn) net.Conn {
	c := &sharedConn{conn, s}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		_ = conn.Close()
	} else {
		s.conns[c] = struct{}{}
	}
	return c
}

// Close ends the share; its connections stay.
func (s *share) Close() error {
	s.end.Do(func() { close(s.ended) })
	return nil
}

// leave has no connection come to the server any more, which still waits for one.
func (s *share) leave() { close(s.left) }

// cut closes the connections that are left, as a process that ends.
func (s *share) cut() {
	s.mu.Lock()
	conns := s.conns
	s.conns = nil
	s.mu.Unlock()
	for c := range conns {
		_ = c.Close()
	}
}

// sharedConn forgets itself when it is closed.
type sharedConn struct {
	net.Conn
	of *share
}

func (c *sharedConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.conns, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
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
