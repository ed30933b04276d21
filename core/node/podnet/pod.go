package podnet

import (
	"context"
	"net"
)

// Resolver answers what /etc/hosts does not. *net.Resolver is one.
type Resolver interface {
	LookupHost(ctx context.Context, host string) ([]string, error)
}

// Dialer makes outgoing connections. *net.Dialer is one.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}
