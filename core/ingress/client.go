package ingress

import (
	"net"
	"sync"
)

// client is a connection that counts among those there are.
type client struct {
	net.Conn
	clients chan struct{}

	mu   sync.Mutex
	open bool
}

// Close implements net.Conn.
func (c *client) Close() error {
	c.mu.Lock()
	if c.open {
		c.open = false
		<-c.clients
	}
	c.mu.Unlock()
	return c.Conn.Close()
}
