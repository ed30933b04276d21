package program

import (
	"context"
	"net"
)

// Network is the network as one pod sees it: Listen on a wildcard address (":80",
// "0.0.0.0:80") binds the pod's own IP, "localhost" and 127.0.0.0/8 stay inside the pod.
type Network interface {
	Listen(ctx context.Context, network, address string) (net.Listener, error)
	// ListenPacket binds an address for datagrams ("udp", "udp4", "udp6").
	ListenPacket(ctx context.Context, network, address string) (net.PacketConn, error)
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	// LookupHost resolves a name to addresses, as the pod's resolver would.
	LookupHost(ctx context.Context, host string) ([]string, error)
	// IPs are the pod's own addresses; empty for a process outside any pod.
	IPs() []net.IP
}
