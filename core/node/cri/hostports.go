package cri

import (
	"fmt"
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
		go podnet.Forward(l, func(net.Conn) (net.Conn, error) { return s.hostPorts.Dial(s.ctx, "tcp", target) })
	}
	return nil
}
