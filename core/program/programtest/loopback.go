// Package programtest has what tests of programs need in place of a pod. It may import
// core/program and the standard library.
package programtest

import (
	"context"
	"net"

	"github.com/tabernetes/tabernetes/core/program"
)

// Loopback is the machine's own loopback as a program's network. It gives any free port in place of
// the one asked for, and says in At where that is: make At with room for each listener.
type Loopback struct {
	program.Network
	At chan string
}

// ListenPacket gives any free port, and says nothing of it.
func (Loopback) ListenPacket(_ context.Context, network, _ string) (net.PacketConn, error) {
	return net.ListenPacket(network, "127.0.0.1:0")
}

// Listen implements program.Network.
func (l Loopback) Listen(_ context.Context, network, _ string) (net.Listener, error) {
	ln, err := net.Listen(network, "127.0.0.1:0")
	if err == nil {
		l.At <- ln.Addr().String()
	}
	return ln, err
}
