package wsdial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/wasm/jsx"
)

// highWater is how many bytes may be queued in the browser before a Write waits, and drainEvery
// how often it looks: there is no event for that.
const (
	highWater  = 1 << 20
	drainEvery = 5 * time.Millisecond
)

// maxQueue is how many bytes may have been received and not read, messages counted with what they cost
// beside their bytes: the tunnel reads whatever comes, so that only a flood gets there.
const (
	maxQueue    = 64 << 20
	messageCost = 64
)

// Dial connects to a WebSocket's URL.
func Dial(ctx context.Context, url string) (net.Conn, error) {
	c := &conn{url: url, wake: make(chan struct{}, 1), closed: make(chan struct{})}
	opened := make(chan struct{})
	var err error
	c.ws, err = jsx.NewWebSocket("tunnel", url, jsx.WebSocketEvents{
		Open:    func() { close(opened) },
		Message: c.receive,
		Close:   c.end,
	})
	if err != nil {
		return nil, err
	}
	select {
	case <-opened:
		return c, nil
	case <-c.closed:
		return nil, fmt.Errorf("connect to %s: %s", url, c.reason)
	case <-ctx.Done():
		_ = c.ws.Close()
		return nil, fmt.Errorf("connect to %s: %w", url, context.Cause(ctx))
	}
}

// conn is a WebSocket; message boundaries mean nothing.
type conn struct {
	url string
	ws  *jsx.WebSocket

	mu     sync.Mutex
	queue  [][]byte // received, not read
	queued int      // what queue costs, in bytes
	reason string   // why it is closed
	read   time.Time
	write  time.Time

	wake   chan struct{} // buffered: queue or read deadline changed
	closed chan struct{} // closed when the socket is
}

var _ net.Conn = (*conn)(nil)

func (c *conn) receive(b []byte) {
	c.mu.Lock()
	if c.queued > maxQueue {
		c.mu.Unlock()
		return // it is being closed
	}
	c.queued += len(b) + messageCost
	flood := c.queued > maxQueue
	if flood {
		c.queue = nil
	} else {
		c.queue = append(c.queue, b)
	}
	c.mu.Unlock()
	if flood {
		c.end(fmt.Sprintf("the other side sent %d MiB that nobody had read", maxQueue>>20))
		if c.ws != nil {
			_ = c.ws.Close()
		}
	}
	c.changed()
}

func (c *conn) changed() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *conn) end(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.closed: // by Close
	default:
		c.reason = reason
		close(c.closed)
	}
}

// take copies what is there into p; 0 if there is nothing.
func (c *conn) take(p []byte) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n < len(p) && len(c.queue) > 0 {
		k := copy(p[n:], c.queue[0])
		n += k
		c.queued -= k
		if c.queue[0] = c.queue[0][k:]; len(c.queue[0]) == 0 {
			c.queue[0] = nil
			c.queue = c.queue[1:]
			c.queued -= messageCost
		}
	}
	return n
}

func (c *conn) Read(p []byte) (int, error) {
	for {
		if n := c.take(p); n > 0 || len(p) == 0 {
			return n, nil
		}
		c.mu.Lock()
		deadline := c.read
		c.mu.Unlock()
		late, stop := after(deadline)
		select {
		case <-c.wake:
		case <-late:
			stop()
			return 0, os.ErrDeadlineExceeded
		case <-c.closed:
			stop()
			if n := c.take(p); n > 0 {
				return n, nil
			}
			return 0, io.EOF
		}
		stop()
	}
}

func (c *conn) Write(p []byte) (int, error) {
	if err := c.drain(); err != nil {
		return 0, err
	}
	if err := c.ws.Send(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// drain waits until little enough is queued.
func (c *conn) drain() error {
	for {
		select {
		case <-c.closed:
			return net.ErrClosed
		default:
		}
		queued, err := c.ws.Buffered()
		if err != nil {
			return err
		}
		if queued <= highWater {
			return nil
		}
		c.mu.Lock()
		deadline := c.write
		c.mu.Unlock()
		if !deadline.IsZero() && time.Now().After(deadline) {
			return os.ErrDeadlineExceeded
		}
		select {
		case <-c.closed:
		case <-time.After(drainEvery):
		}
	}
}

// after is a channel that is ready at the deadline; never, if there is none.
func after(deadline time.Time) (<-chan time.Time, func()) {
	if deadline.IsZero() {
		return nil, func() {}
	}
	t := time.NewTimer(time.Until(deadline))
	return t.C, func() { t.Stop() }
}

// Close closes the socket. Readers and writers end at once: the browser may wait for the other
// side before it says that the socket is closed.
func (c *conn) Close() error {
	err := c.ws.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.closed:
		return nil
	default:
	}
	c.reason = "closed here"
	close(c.closed)
	return err
}

func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	c.read = t
	c.mu.Unlock()
	c.changed()
	return nil
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write = t
	return nil
}

func (c *conn) LocalAddr() net.Addr  { return addr("tab") }
func (c *conn) RemoteAddr() net.Addr { return addr(c.url) }

type addr string

func (a addr) Network() string { return "websocket" }
func (a addr) String() string  { return string(a) }
