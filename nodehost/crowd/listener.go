package crowd

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// Listener is a listener whose connections are guests of a crowd until they are known, and which ends
// those whose other side takes nothing for Patience.
type Listener struct {
	net.Listener
	Crowd *Crowd
	// Patience is how long a Write may stand still. As long as anything is taken it goes on, however
	// long that lasts.
	Patience time.Duration
}

// sendBuffer is what the kernel may keep of a connection, in bytes. Linux lets a Write go on when a
// third of it is free: without a bound that could take longer than Patience on a slow link.
const sendBuffer = 256 << 10

// Accept waits for a connection.
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer)
	}
	g := &conn{Conn: c, patience: l.Patience}
	g.guest = l.Crowd.Enter(Source(c.RemoteAddr().String()), func() { go c.Close() }) // a Close waits for a Read or Write that is under way
	return g, nil
}

// conn is a connection of a Listener.
type conn struct {
	net.Conn
	guest    *Guest
	patience time.Duration

	mu       sync.Mutex
	deadline time.Time // for writing, as SetWriteDeadline said
}

func (c *conn) Write(p []byte) (n int, err error) {
	for {
		until, asked := c.until()
		if err := c.Conn.SetWriteDeadline(until); err != nil {
			return n, err
		}
		k, err := c.Conn.Write(p[n:])
		n += k
		if !errors.Is(err, os.ErrDeadlineExceeded) || asked || k == 0 {
			return n, err
		}
	}
}

// until is when a Write that stands still ends; asked says that this is not for lack of progress.
func (c *conn) until() (t time.Time, asked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t = time.Now().Add(c.patience)
	if !c.deadline.IsZero() && c.deadline.Before(t) {
		return c.deadline, true
	}
	return t, false
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	c.deadline = t
	c.mu.Unlock()
	if t.IsZero() {
		return nil // a Write that is under way has its own
	}
	return c.Conn.SetWriteDeadline(t)
}

func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.Conn.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// CloseWrite says that nothing more comes from this side.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (c *conn) Close() error {
	c.guest.Leave()
	return c.Conn.Close()
}

// connection is the key of a request's connection in its context.
type connection struct{}

// ConnContext is for an http.Server on a Listener, with TLS on it or without.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if tls, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = tls.NetConn()
	}
	return context.WithValue(ctx, connection{}, c)
}

// Known takes the connection of a request out of the crowd: whose it is has been shown.
func Known(request context.Context) {
	if c, ok := request.Value(connection{}).(*conn); ok {
		c.guest.Leave()
	}
}
