package intab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/channel"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
)

const (
	nic = tcpip.NICID(1)
	// queue is how many packets wait to be written to the interface; TCP sends again what is dropped.
	queue = 1024
	// inFlight is how many connections may be asked for at a time: more SYNs are dropped, and come again.
	inFlight = perNode
)

// newStack is a TCP that has every address, and asks handle for each connection.
func newStack(mtu int, handle func(*tcp.ForwarderRequest)) (*stack.Stack, *channel.Endpoint, error) {
	s := stack.New(stack.Options{
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol},
	})
	wire := channel.New(queue, uint32(mtu), "")
	sack := tcpip.TCPSACKEnabled(true)
	for _, err := range []tcpip.Error{
		s.SetTransportProtocolOption(tcp.ProtocolNumber, &sack),
		s.CreateNIC(nic, wire),
		s.SetPromiscuousMode(nic, true), // packets to any address are its own
		s.SetSpoofing(nic, true),        // and it answers from there
	} {
		if err != nil {
			s.Destroy()
			return nil, nil, fmt.Errorf("make a TCP for in-tab pods: %s", err)
		}
	}
	s.SetRouteTable([]tcpip.Route{{Destination: header.IPv4EmptySubnet, NIC: nic}})
	s.SetTransportProtocolHandler(tcp.ProtocolNumber, tcp.NewForwarder(s, 0, inFlight, handle).HandlePacket)
	return s, wire, nil
}

// fromKernel hands the stack what the kernel routes to the interface, until that is closed.
func fromKernel(tun *os.File, wire *channel.Endpoint) error {
	packet := make([]byte, maxMTU)
	for {
		n, err := tun.Read(packet)
		if errors.Is(err, os.ErrClosed) || errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read from %s: %w", Interface, err)
		}
		if !carried(packet[:n]) {
			continue
		}
		p := stack.NewPacketBuffer(stack.PacketBufferOptions{Payload: buffer.MakeWithData(packet[:n])})
		wire.InjectInbound(ipv4.ProtocolNumber, p)
		p.DecRef()
	}
}

// carried says whether the stack sees a packet: TCP, and UDP, which it refuses. It would answer a ping
// for pods that are not there.
func carried(packet []byte) bool {
	ip := header.IPv4(packet)
	if len(packet) < header.IPv4MinimumSize || header.IPVersion(packet) != header.IPv4Version {
		return false
	}
	return ip.Protocol() == unix.IPPROTO_TCP || ip.Protocol() == unix.IPPROTO_UDP
}

// toKernel writes what the stack sends to the interface, until ctx is done. A packet that the kernel does
// not take is lost, as on any wire.
func toKernel(ctx context.Context, wire *channel.Endpoint, tun *os.File) {
	for {
		p := wire.ReadContext(ctx)
		if p == nil {
			return
		}
		view := p.ToView()
		_, _ = tun.Write(view.AsSlice())
		view.Release()
		p.DecRef()
	}
}

func addrPort(a tcpip.Address, port uint16) netip.AddrPort {
	addr, _ := netip.AddrFromSlice(a.AsSlice()) // an IPv4 stack has 4 bytes
	return netip.AddrPortFrom(addr, port)
}
