package podnet

import (
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Bounds of what waits to be read, in bytes: of a socket (Linux' rmem_default) and of a pod; in
// datagrams of a socket; and of one datagram's payload (65,535 less the headers of IP and UDP).
const (
	socketQueue  = 212992
	podQueue     = 4 << 20
	queueLength  = 1024
	maxDatagram  = 65507
	datagramCost = 256 // of the shortest one
)

type datagram struct {
	from    netip.AddrPort
	payload []byte
}

func (d datagram) cost() int64 { return int64(len(d.payload)) + datagramCost }

// PacketConn is a socket for datagrams: a net.PacketConn, and a net.Conn if it was dialled.
type PacketConn struct {
	segment *Segment
	path    Path
	socks   *Sockets // nil for the cluster's own
	network string
	ips     []netip.Addr // bound on the segment
	onLocal bool         // bound on the pod's localhost
	local   netip.AddrPort
	peer    netip.AddrPort // invalid if it was not dialled

	mu      sync.Mutex
	queue   []datagram
	held    int64
	refused bool // somebody said that nobody listens: the next call of a dialled socket tells
	ready   chan struct{}

	closed chan struct{}
	once   sync.Once
	read   deadline
	queued *atomic.Int64 // of the pod
}

var (
	_ net.PacketConn = (*PacketConn)(nil)
	_ net.Conn       = (*PacketConn)(nil)
)

func newPacketConn(g *Segment, path Path) *PacketConn {
	return &PacketConn{
		segment: g, path: path, network: "udp", ready: make(chan struct{}, 1), closed: make(chan struct{}), queued: new(atomic.Int64),
	}
}

// deliver queues a datagram, or says that there is no room.
func (c *PacketConn) deliver(from netip.AddrPort, payload []byte) bool {
	d := datagram{from, append([]byte(nil), payload...)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.peer.IsValid() && from != c.peer {
		return false
	}
	if len(c.queue) >= queueLength || c.held+d.cost() > socketQueue {
		return false
	}
	if c.queued.Add(d.cost()) > podQueue {
		c.queued.Add(-d.cost())
		return false
	}
	select {
	case <-c.closed:
		c.queued.Add(-d.cost())
		return false
	default:
	}
	c.queue = append(c.queue, d)
	c.held += d.cost()
	if c.socks != nil {
		c.socks.pod.rx.Add(uint64(len(payload)))
	}
	c.wake()
	return true
}

func (c *PacketConn) wake() {
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// take gives the next datagram, and whether there was one.
func (c *PacketConn) take() (d datagram, ok bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.closed:
		return d, false, net.ErrClosed
	default:
	}
	if c.refused {
		c.refused = false
		return d, false, os.NewSyscallError("read", syscall.ECONNREFUSED)
	}
	if len(c.queue) == 0 {
		return d, false, nil
	}
	d = c.queue[0]
	c.queue[0] = datagram{}
	if c.queue = c.queue[1:]; len(c.queue) > 0 {
		c.wake() // another reader may wait
	}
	c.held -= d.cost()
	c.queued.Add(-d.cost())
	return d, true, nil
}

// ReadFrom implements net.PacketConn. What does not fit into p is lost.
func (c *PacketConn) ReadFrom(p []byte) (int, net.Addr, error) {
	n, from, err := c.ReadFromAddrPort(p)
	if err != nil {
		return 0, nil, err
	}
	return n, net.UDPAddrFromAddrPort(from), nil
}

// ReadFromAddrPort is ReadFrom with the address as netip has it.
func (c *PacketConn) ReadFromAddrPort(p []byte) (int, netip.AddrPort, error) {
	for {
		d, ok, err := c.take()
		if err != nil {
			return 0, netip.AddrPort{}, c.fail("read", err)
		}
		if ok {
			return copy(p, d.payload), d.from, nil
		}
		select {
		case <-c.ready:
		case <-c.closed:
		case <-c.read.expired():
			return 0, netip.AddrPort{}, c.fail("read", os.ErrDeadlineExceeded)
		}
	}
}

// WriteTo implements net.PacketConn. It never waits.
func (c *PacketConn) WriteTo(p []byte, to net.Addr) (int, error) {
	at, err := netip.ParseAddrPort(to.String())
	if err != nil {
		return 0, c.fail("write", err)
	}
	if c.peer.IsValid() {
		return 0, c.fail("write", net.ErrWriteToConnected)
	}
	return c.send(p, netip.AddrPortFrom(at.Addr().Unmap(), at.Port()))
}

// send is for dialled sockets and others.
func (c *PacketConn) send(p []byte, to netip.AddrPort) (int, error) {
	select {
	case <-c.closed:
		return 0, c.fail("write", net.ErrClosed)
	default:
	}
	if len(p) > maxDatagram {
		return 0, c.fail("write", os.NewSyscallError("sendto", syscall.EMSGSIZE))
	}
	if c.socks != nil {
		c.socks.pod.tx.Add(uint64(len(p)))
	}
	var err error
	switch ip := to.Addr(); {
	case ip.IsLoopback() || ip.IsUnspecified():
		err = c.sendLocally(p, to.Port())
	default:
		from := c.source(ip)
		if !from.IsValid() {
			return 0, c.fail("write", os.NewSyscallError("sendto", syscall.ENETUNREACH))
		}
		err = c.segment.send(c.path, netip.AddrPortFrom(from, c.local.Port()), to, p)
	}
	if err != nil && c.peer.IsValid() {
		// Who has dialled hears of it by the next call, as of an ICMP message.
		c.mu.Lock()
		c.refused = true
		c.wake()
		c.mu.Unlock()
	}
	return len(p), nil
}

// source is the address that a datagram to an address comes from; invalid if there is none.
func (c *PacketConn) source(to netip.Addr) netip.Addr {
	for _, ip := range c.ips {
		if ip.Is4() == to.Is4() {
			return ip
		}
	}
	return netip.Addr{}
}

// sendLocally is to the pod's own localhost.
func (c *PacketConn) sendLocally(p []byte, port uint16) error {
	if c.socks == nil || !c.onLocal {
		return os.NewSyscallError("sendto", syscall.EINVAL)
	}
	s := c.socks.pod.localPackets(port)
	if s == nil {
		return os.NewSyscallError("write", syscall.ECONNREFUSED)
	}
	s.deliver(netip.AddrPortFrom(loopback, c.local.Port()), p)
	return nil
}

// Read implements net.Conn.
func (c *PacketConn) Read(p []byte) (int, error) {
	n, _, err := c.ReadFromAddrPort(p)
	return n, err
}

// Write implements net.Conn, for a socket that was dialled.
func (c *PacketConn) Write(p []byte) (int, error) {
	if !c.peer.IsValid() {
		return 0, c.fail("write", os.NewSyscallError("write", syscall.EDESTADDRREQ))
	}
	c.mu.Lock()
	refused := c.refused
	c.refused = false
	c.mu.Unlock()
	if refused {
		return 0, c.fail("write", os.NewSyscallError("write", syscall.ECONNREFUSED))
	}
	return c.send(p, c.peer)
}

func (c *PacketConn) fail(op string, err error) error {
	e := &net.OpError{Op: op, Net: c.network, Source: c.LocalAddr(), Err: err}
	if c.peer.IsValid() {
		e.Addr = c.RemoteAddr()
	}
	return e
}

// Close implements net.PacketConn.
func (c *PacketConn) Close() error {
	err := net.ErrClosed
	c.once.Do(func() {
		err = nil
		close(c.closed)
		c.segment.unbind(c, c.ips, c.local.Port())
		if c.peer.IsValid() {
			c.segment.hangUp(netip.AddrPortFrom(c.source(c.peer.Addr()), c.local.Port()), c.peer)
		}
		if c.socks != nil {
			c.socks.pod.unbindPackets(c, c.local.Port())
			c.socks.untrack(c)
		}
		c.mu.Lock()
		c.queue = nil
		c.queued.Add(-c.held)
		c.held = 0
		c.mu.Unlock()
		c.read.set(time.Time{})
	})
	return err
}

// LocalAddr is the address that was bound.
func (c *PacketConn) LocalAddr() net.Addr { return net.UDPAddrFromAddrPort(c.local) }

// RemoteAddr is the address that was dialled; nil if none was.
func (c *PacketConn) RemoteAddr() net.Addr {
	if !c.peer.IsValid() {
		return nil
	}
	return net.UDPAddrFromAddrPort(c.peer)
}

// SetDeadline implements net.PacketConn. Writing never waits.
func (c *PacketConn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetReadDeadline implements net.PacketConn.
func (c *PacketConn) SetReadDeadline(t time.Time) error {
	c.read.set(t)
	return nil
}

// SetWriteDeadline implements net.PacketConn.
func (c *PacketConn) SetWriteDeadline(time.Time) error { return nil }

// deadline is a moment from which on reading fails.
type deadline struct {
	mu    sync.Mutex
	timer *time.Timer
	over  chan struct{}
}

// expired is closed when the moment has come.
func (d *deadline) expired() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over == nil {
		d.over = make(chan struct{})
	}
	return d.over
}

func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	over := d.over
	select {
	case <-over:
		over = nil // it has come before; nil blocks
	default:
	}
	if over == nil {
		over = make(chan struct{})
	}
	d.over = over
	if t.IsZero() {
		return
	}
	if until := time.Until(t); until > 0 {
		d.timer = time.AfterFunc(until, sync.OnceFunc(func() { close(over) }))
		return
	}
	close(over)
}
