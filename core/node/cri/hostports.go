package cri

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/podnet"
)

// openHostPorts listens on the node's IP for the pod's host ports and passes connections on to
// the pod, as the CNI plugin portmap does with packets. What it opens ends with the returned
// sockets. Only TCP is passed on: nothing in the tab speaks another protocol.
func (r *Runtime) openHostPorts(s *sandbox) error {
	for _, m := range s.config.GetPortMappings() {
		if m.GetHostPort() <= 0 || m.GetProtocol() != runtimeapi.Protocol_TCP || s.onHost {
			continue
		}
		if s.hostPorts == nil {
			s.hostPorts = r.host.Sockets(nil)
		}
		host := m.GetHostIp()
		if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
			host = ""
		}
		address := net.JoinHostPort(host, strconv.Itoa(int(m.HostPort)))
		l, err := s.hostPorts.Listen(s.ctx, "tcp", address)
		if err != nil {
			return fmt.Errorf("host port %d: %w", m.HostPort, err)
		}
		target := net.JoinHostPort(s.network.IPs()[0].String(), strconv.Itoa(int(m.ContainerPort)))
		go serveHostPort(s.ctx, l, s.hostPorts, target)
	}
	return nil
}

// serveHostPort passes connections on until l is closed.
func serveHostPort(ctx context.Context, l net.Listener, from *podnet.Sockets, target string) {
	for {
		in, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer in.Close()
			out, err := from.Dial(ctx, "tcp", target)
			if err != nil {
				return // the client sees its connection close
			}
			defer out.Close()
			go func() {
				_, _ = io.Copy(out, in)
				closeWrite(out)
			}()
			_, _ = io.Copy(in, out)
		}()
	}
}

// closeWrite ends the sending half of a connection that has halves.
func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // the other end has gone: it is ended anyway
	}
}
