package cri

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"github.com/tabernetes/tabernetes/core/node/cni"
	"github.com/tabernetes/tabernetes/core/node/podnet"
)

// openHostPort has the node's IP lead to the pod at a host port of the pod's, as the CNI plugin portmap has
// iptables do with packets: connections are passed on, datagrams sent on; SCTP carries nothing. It ends with the sandbox's
// closePorts.
func (r *Runtime) openHostPort(s *sandbox, m cni.PortMapping) error {
	switch m.Protocol {
	case "tcp":
		return r.openStreamPort(s, m)
	case "udp":
		return r.openDatagramPort(s, m)
	}
	return nil
}

func (r *Runtime) openStreamPort(s *sandbox, m cni.PortMapping) error {
	if s.hostPorts == nil {
		s.hostPorts = r.host.Sockets(nil)
	}
	host := m.HostIP
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

func (r *Runtime) openDatagramPort(s *sandbox, m cni.PortMapping) error {
	node := r.opts.NodeIP
	if ip, err := netip.ParseAddr(m.HostIP); err == nil && !ip.IsUnspecified() && ip.Unmap() != node {
		return fmt.Errorf("the node has no address %s", ip)
	}
	undo, err := r.opts.Segment.Redirect(
		netip.AddrPortFrom(node, uint16(m.HostPort)), netip.AddrPortFrom(s.network.IPs()[0], uint16(m.ContainerPort)))
	if err != nil {
		return err
	}
	s.undoPorts = append(s.undoPorts, undo)
	return nil
}
