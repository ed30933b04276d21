package cri

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/podnet"
)

// openHostPorts has the node's IP lead to the pod at the pod's host ports, as the CNI plugin portmap
// does with packets: connections are passed on, datagrams sent on. It ends with the returned sockets,
// and with the sandbox's closeNetwork.
func (r *Runtime) openHostPorts(s *sandbox) error {
	for _, m := range s.config.GetPortMappings() {
		if m.GetHostPort() <= 0 || s.onHost {
			continue
		}
		var err error
		switch m.GetProtocol() {
		case runtimeapi.Protocol_TCP:
			err = r.openStreamPort(s, m)
		case runtimeapi.Protocol_UDP:
			err = r.openDatagramPort(s, m)
		}
		if err != nil {
			return fmt.Errorf("host port %d: %w", m.HostPort, err)
		}
	}
	return nil
}

func (r *Runtime) openStreamPort(s *sandbox, m *runtimeapi.PortMapping) error {
	if s.hostPorts == nil {
		s.hostPorts = r.host.Sockets(nil)
	}
	host := m.GetHostIp()
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = ""
	}
	l, err := s.hostPorts.Listen(s.ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(int(m.HostPort))))
	if err != nil {
		return err
	}
	target := net.JoinHostPort(s.network.IPs()[0].String(), strconv.Itoa(int(m.ContainerPort)))
	go podnet.Forward(l, func(in net.Conn) (net.Conn, error) {
		// The pod sees the client, as behind portmap; a client on the node's localhost as the node.
		client, err := netip.ParseAddrPort(in.RemoteAddr().String())
		if err != nil || client.Addr().IsLoopback() || r.opts.Dialer == nil {
			return s.hostPorts.Dial(s.ctx, "tcp", target)
		}
		return r.opts.Dialer(s.ctx, client.Addr().Unmap(), "tcp", target)
	})
	return nil
}

func (r *Runtime) openDatagramPort(s *sandbox, m *runtimeapi.PortMapping) error {
	node := r.opts.NodeIP
	if ip, err := netip.ParseAddr(m.GetHostIp()); err == nil && !ip.IsUnspecified() && ip.Unmap() != node {
		return fmt.Errorf("the node has no address %s", ip)
	}
	undo, err := r.opts.Segment.Redirect(
		netip.AddrPortFrom(node, uint16(m.HostPort)), netip.AddrPortFrom(s.network.IPs()[0], uint16(m.ContainerPort)))
	if err != nil {
		return err
	}
	s.undo = append(s.undo, undo)
	return nil
}
