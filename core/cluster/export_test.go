package cluster

import (
	"context"
	"net"
)

// DialService is what the apiserver dials addresses of Services by.
var DialService = (*Cluster).dialService

// ServersDialer is what the apiserver dials by.
func ServersDialer(c *Cluster) func(ctx context.Context, network, address string) (net.Conn, error) {
	return c.router.DialAsServer
}
