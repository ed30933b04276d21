package podnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/tabernetes/tabernetes/core/program"
)

// Sockets is a pod's network as one container uses it; see Pod.Sockets.
type Sockets struct {
	pod *Pod
	fs  *program.FS

	listening chan struct{}
	heard     sync.Once

	mu     sync.Mutex
	closed bool
	open   map[closer]struct{}
}

// closer is a listener or a connection that goes with its Sockets.
type closer interface{ Close() error }

var _ program.Network = (*Sockets)(nil)

// IPs are the pod's own addresses.
func (s *Sockets) IPs() []net.IP {
	var ips []net.IP
	for _, ip := range s.pod.opts.IPs {
		ips = append(ips, ip.AsSlice())
	}
	return ips
}

// Listening is closed once s has bound its first address, for streams or for datagrams.
func (s *Sockets) Listening() <-chan struct{} { return s.listening }

func (s *Sockets) listens() { s.heard.Do(func() { close(s.listening) }) }

// Close ends every listener and connection that s opened or accepted.
func (s *Sockets) Close() {
	s.mu.Lock()
	s.closed = true
	open := s.open
	s.open = nil
	s.mu.Unlock()
	for c := range open {
		c.Close()
	}
	s.pod.mu.Lock()
	delete(s.pod.socks, s)
	s.pod.mu.Unlock()
}

// track takes c into s, or closes it if s is closed.
func (s *Sockets) track(c closer) error {
	s.mu.Lock()
	if !s.closed {
		s.open[c] = struct{}{}
		s.mu.Unlock()
		return nil
	}
	s.mu.Unlock()
	c.Close()
	return net.ErrClosed
}

func (s *Sockets) untrack(c closer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

// Listen binds a stream address of the pod: its own IP, all of them (":80", "0.0.0.0:80",
// "[::]:80"), or its localhost. Errors are *net.OpError: EADDRINUSE, EADDRNOTAVAIL for an
// address that is not the pod's.
func (s *Sockets) Listen(ctx context.Context, network, address string) (net.Listener, error) {
	l, err := s.listen(ctx, network, address)
	if err != nil {
		var op *net.OpError
		if !errors.As(err, &op) {
			err = &net.OpError{Op: "listen", Net: network, Addr: nameAddr{network, address}, Err: err}
		}
		return nil, err
	}
	s.listens()
	return l, nil
}

func (s *Sockets) listen(ctx context.Context, network, address string) (*listener, error) {
	host, port, err := s.split(ctx, network, address)
	if err != nil {
		return nil, err
	}
	switch network {
	case "tcp", "tcp4", "tcp6":
	default:
		return nil, net.UnknownNetworkError(network)
	}
	ip, err := s.bindAddress(ctx, host)
	if err != nil {
		return nil, err
	}
	var lc net.ListenConfig
	l := &listener{socks: s, port: port}
	switch {
	case ip.IsLoopback():
		// A port that the system picks stands in for the pod's own; see Pod.localAddress.
		if l.inner, err = lc.Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
			return nil, err
		}
		if l.port == 0 {
			l.port = l.inner.Addr().(*net.TCPAddr).Port
		}
		l.addr = &net.TCPAddr{IP: ip.AsSlice(), Port: l.port}
		err = s.pod.bindLocal(l.port, l)
	case ip.IsUnspecified():
		if l.inner, err = listenAll(ctx, s.pod.opts.IPs, network, port); err != nil {
			return nil, err
		}
		l.port = l.inner.Addr().(*net.TCPAddr).Port
		l.addr = l.inner.Addr()
		err = s.pod.bindLocal(l.port, l)
	default:
		if ip != s.pod.ipFor(ip) {
			return nil, os.NewSyscallError("bind", syscall.EADDRNOTAVAIL)
		}
		if l.inner, err = lc.Listen(ctx, network, netip.AddrPortFrom(ip, uint16(port)).String()); err != nil {
			return nil, err
		}
		l.addr = l.inner.Addr()
	}
	if err != nil {
		l.inner.Close()
		return nil, os.NewSyscallError("bind", err)
	}
	return l, s.track(l)
}

// bindAddress is the address that host means when listening.
func (s *Sockets) bindAddress(ctx context.Context, host string) (netip.Addr, error) {
	if host == "" {
		return netip.IPv4Unspecified(), nil
	}
	ips, err := s.LookupHost(ctx, host)
	if err != nil {
		return netip.Addr{}, err
	}
	ip, err := netip.ParseAddr(ips[0])
	return ip.Unmap(), err
}

// Dial connects to an address. Localhost is the pod's own; names go through LookupHost and
// are tried one address after the other. Errors are *net.OpError.
func (s *Sockets) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	fail := func(err error) (net.Conn, error) {
		var op *net.OpError
		if !errors.As(err, &op) {
			err = &net.OpError{Op: "dial", Net: network, Addr: nameAddr{network, address}, Err: err}
		}
		return nil, err
	}
	host, port, err := s.split(ctx, network, address)
	if err != nil {
		return fail(err)
	}
	ips := []string{"127.0.0.1"}
	if host != "" {
		if ips, err = s.LookupHost(ctx, host); err != nil {
			return fail(err)
		}
	}
	var first error
	for _, text := range ips {
		ip, err := netip.ParseAddr(text)
		if err != nil {
			return fail(err)
		}
		c, err := s.dialIP(ctx, network, ip.Unmap(), port)
		if err == nil {
			return c, nil
		}
		if first == nil {
			first = err
		}
	}
	return fail(first)
}

func (s *Sockets) dialIP(ctx context.Context, network string, ip netip.Addr, port int) (net.Conn, error) {
	remote := netip.AddrPortFrom(ip, uint16(port))
	if isPackets(network) {
		return s.dialPackets(network, remote)
	}
	if !strings.HasPrefix(network, "tcp") {
		return nil, unsupported(network)
	}
	c := &conn{socks: s}
	var err error
	if ip.IsLoopback() || ip.IsUnspecified() {
		target, ok := s.pod.localAddress(port)
		if !ok {
			return nil, &net.OpError{Op: "dial", Net: network, Addr: net.TCPAddrFromAddrPort(remote),
				Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
		}
		c.remote = net.TCPAddrFromAddrPort(remote)
		c.Conn, err = Dial(ctx, netip.Addr{}, "tcp", target)
	} else {
		c.Conn, err = s.pod.opts.Dialer(ctx, s.pod.ipFor(ip), network, remote.String())
	}
	if err != nil {
		return nil, err
	}
	return c, s.track(c)
}

// split takes an address apart; the port may be a service's name.
func (s *Sockets) split(ctx context.Context, network, address string) (host string, port int, err error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	if port, err = strconv.Atoi(service); err != nil && service != "" {
		if port, err = net.DefaultResolver.LookupPort(ctx, network, service); err != nil {
			return "", 0, err
		}
	}
	if port < 0 || port > 0xffff {
		return "", 0, fmt.Errorf("address %s: invalid port", address)
	}
	return host, port, nil
}

// nameAddr is an address as it was given, for errors.
type nameAddr struct{ network, address string }

func (a nameAddr) Network() string { return a.network }
func (a nameAddr) String() string  { return a.address }
