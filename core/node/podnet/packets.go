package podnet

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
)

// maxPacketConns is how many sockets for datagrams a container has.
const maxPacketConns = 1024

var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// ListenPacket binds an address of the pod for datagrams, as Listen does for streams.
func (s *Sockets) ListenPacket(ctx context.Context, network, address string) (net.PacketConn, error) {
	c, err := s.listenPacket(ctx, network, address)
	if err != nil {
		var op *net.OpError
		if !errors.As(err, &op) {
			err = &net.OpError{Op: "listen", Net: network, Addr: nameAddr{network, address}, Err: err}
		}
		return nil, err
	}
	s.listens()
	return c, nil
}

func (s *Sockets) listenPacket(ctx context.Context, network, address string) (*PacketConn, error) {
	host, port, err := s.split(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if !isPackets(network) {
		return nil, net.UnknownNetworkError(network)
	}
	ip, err := s.bindAddress(ctx, host)
	if err != nil {
		return nil, err
	}
	return s.bindPackets(network, ip, uint16(port), netip.AddrPort{})
}

func isPackets(network string) bool {
	return network == "udp" || network == "udp4" || network == "udp6"
}

// bindPackets makes a socket at ip, of which all of the pod's and its localhost are meant if it is
// unspecified. With a peer it is a dialled one.
func (s *Sockets) bindPackets(network string, ip netip.Addr, port uint16, peer netip.AddrPort) (*PacketConn, error) {
	c := newPacketConn(s.pod.opts.Segment, s.pod.opts.Path)
	c.socks, c.network, c.peer, c.queued = s, network, peer, &s.pod.queued
	switch {
	case ip.IsLoopback():
		c.onLocal = true
	case ip.IsUnspecified():
		c.onLocal = true
		for _, own := range s.pod.opts.IPs {
			if network != "udp4" && network != "udp6" || own.Is4() == (network == "udp4") {
				c.ips = append(c.ips, own)
			}
		}
	default:
		if ip != s.pod.ipFor(ip) {
			return nil, os.NewSyscallError("bind", syscall.EADDRNOTAVAIL)
		}
		c.ips = []netip.Addr{ip}
	}
	if !s.room() {
		return nil, os.NewSyscallError("socket", syscall.EMFILE)
	}
	port, err := c.segment.bind(c, c.ips, port, func(port uint16) bool { return !c.onLocal || s.pod.bindPacketsLocally(c, port) })
	if err != nil {
		return nil, err
	}
	at := ip
	if ip.IsUnspecified() && peer.IsValid() {
		at = loopback
		if !peer.Addr().IsLoopback() {
			at = c.source(peer.Addr())
		}
	}
	c.local = netip.AddrPortFrom(at, port)
	return c, s.track(c)
}

// room says whether the container may have one more socket for datagrams.
func (s *Sockets) room() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for c := range s.open {
		if _, ok := c.(*PacketConn); ok {
			n++
		}
	}
	return n < maxPacketConns
}

// dialPackets makes a socket that sends to one address and hears of nobody else.
func (s *Sockets) dialPackets(network string, to netip.AddrPort) (net.Conn, error) {
	from := s.pod.ipFor(to.Addr())
	if to.Addr().IsUnspecified() {
		to = netip.AddrPortFrom(loopback, to.Port())
	}
	if to.Addr().IsLoopback() {
		from = loopback
	}
	if !from.IsValid() {
		return nil, os.NewSyscallError("connect", syscall.ENETUNREACH)
	}
	return s.bindPackets(network, from, 0, to)
}

// bindPacketsLocally takes a port of the pod's localhost, or says that it is taken.
func (p *Pod) bindPacketsLocally(c *PacketConn, port uint16) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if had := p.packets[port]; had != nil {
		return had == c
	}
	p.packets[port] = c
	return true
}

func (p *Pod) unbindPackets(c *PacketConn, port uint16) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.packets[port] == c {
		delete(p.packets, port)
	}
}

// localPackets is what answers datagrams on the pod's localhost; nil for nobody.
func (p *Pod) localPackets(port uint16) *PacketConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.packets[port]
}

// unsupported says what the network does not carry.
func unsupported(network string) error {
	if strings.HasPrefix(network, "sctp") {
		return os.NewSyscallError("socket", syscall.EPROTONOSUPPORT)
	}
	return net.UnknownNetworkError(network)
}
