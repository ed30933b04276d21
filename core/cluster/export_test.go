package cluster

import (
	"context"
	"net"
	"net/netip"
)

// DialService is what the apiserver dials addresses of Services by.
var DialService = (*Cluster).dialService

// ServersDialer is what the apiserver dials by.
func ServersDialer(c *Cluster) func(ctx context.Context, network, address string) (net.Conn, error) {
	return c.router.DialAsServer
}

// Connects is what becomes of a connection that a pod of an in-tab node makes: the error is the data path's own.
func Connects(ctx context.Context, c *Cluster, node string, from netip.Addr, to netip.AddrPort) error {
	c.nodes.mu.Lock()
	proxy := c.nodes.running[node].proxy
	c.nodes.mu.Unlock()
	// Who is dropped would wait.
	if _, err := proxy.Way("tcp", from, to); err != nil {
		return err
	}
	conn, err := proxy.Dial(ctx, from, "tcp", to.String())
	if err == nil {
		err = conn.Close()
	}
	return err
}
