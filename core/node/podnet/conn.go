package podnet

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"

	"github.com/tabernetes/tabernetes/core/accept"
)

// listener is a bound address of a pod.
type listener struct {
	socks *Sockets
	inner net.Listener // of the process
	addr  net.Addr     // as the pod sees it
	port  int
}

func (l *listener) Addr() net.Addr { return l.addr }

func (l *listener) Accept() (net.Conn, error) {
	inner, err := accept.Next(context.Background(), l.inner, nil) // a program need not know of the machine's files
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: inner, socks: l.socks}
	if inner.LocalAddr().String() != l.addr.String() {
		c.local = l.addr
	}
	return c, l.socks.track(c)
}

func (l *listener) Close() error {
	l.socks.untrack(l)
	l.socks.pod.unbindLocal(l)
	return l.inner.Close()
}

// conn is a connection of a pod: counted, and closed with its Sockets.
type conn struct {
	net.Conn
	socks         *Sockets
	local, remote net.Addr // as the pod sees them; nil is Conn's own
}

func (c *conn) LocalAddr() net.Addr {
	if c.local != nil {
		return c.local
	}
	return c.Conn.LocalAddr()
}

func (c *conn) RemoteAddr() net.Addr {
	if c.remote != nil {
		return c.remote
	}
	return c.Conn.RemoteAddr()
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.socks.pod.rx.Add(uint64(n))
	return n, err
}

func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.socks.pod.tx.Add(uint64(n))
	return n, err
}

func (c *conn) Close() error {
	c.socks.untrack(c)
	return c.Conn.Close()
}

// CloseWrite ends the sending half.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return syscall.ENOTSUP
}

// listenAll listens on the same port of all ips; network tcp4 and tcp6 restrict the family.
func listenAll(ctx context.Context, ips []netip.Addr, network string, port int) (net.Listener, error) {
	var lc net.ListenConfig
	var all []net.Listener
	for _, ip := range ips {
		if network == "tcp4" && !ip.Is4() || network == "tcp6" && ip.Is4() {
			continue
		}
		l, err := lc.Listen(ctx, "tcp", netip.AddrPortFrom(ip, uint16(port)).String())
		if err != nil {
			for _, l := range all {
				l.Close()
			}
			return nil, err
		}
		port = l.Addr().(*net.TCPAddr).Port
		all = append(all, l)
	}
	switch len(all) {
	case 0:
		return nil, syscall.EAFNOSUPPORT
	case 1:
		return all[0], nil
	}
	m := &multiListener{all: all, accepted: make(chan net.Conn), closed: make(chan struct{})}
	for _, l := range all {
		go m.serve(l)
	}
	return m, nil
}

// multiListener is several listeners as one.
type multiListener struct {
	all      []net.Listener
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func (m *multiListener) serve(l net.Listener) {
	for {
		c, err := accept.Next(context.Background(), l, nil)
		if err != nil {
			m.Close()
			return
		}
		select {
		case m.accepted <- c:
		case <-m.closed:
			c.Close()
			return
		}
	}
}

func (m *multiListener) Accept() (net.Conn, error) {
	select {
	case c := <-m.accepted:
		return c, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *multiListener) Addr() net.Addr { return m.all[0].Addr() }

func (m *multiListener) Close() error {
	var errs []error
	m.once.Do(func() {
		close(m.closed)
		for _, l := range m.all {
			errs = append(errs, l.Close())
		}
	})
	return errors.Join(errs...)
}
