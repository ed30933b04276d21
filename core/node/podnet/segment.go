package podnet

import (
	"errors"
	"net/netip"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrDropped says that what is sent goes nowhere and nobody is told, as behind a firewall that drops.
var ErrDropped = errors.New("dropped on the way")

// Way is where that goes which is sent to an address.
type Way struct {
	// To answers: the address itself, or an endpoint of the Service whose address it is.
	To netip.AddrPort
	// As is the sender as To sees it. Invalid: the sender's own address.
	As netip.Addr
	// Still says whether To may go on serving what has begun. Nil: it may.
	Still func() bool
}

// Path decides the way of a flow when its first datagram is sent. network is "udp". Errors:
// ECONNREFUSED, which the sender is told, and any other, which it is not.
type Path func(network string, from netip.Addr, to netip.AddrPort) (Way, error)

// Direct is the Path to the address itself.
func Direct(_ string, _ netip.Addr, to netip.AddrPort) (Way, error) { return Way{To: to}, nil }

// Segment carries the datagrams of a cluster's pods: there is no kernel under the tab that would, and
// natively the same code runs. Flows are remembered as a kernel's connection tracking does, so that
// answers come from the address that was asked and pass where the question did. Queues and flows are
// bounded; what does not fit is lost, as UDP has it.
type Segment struct {
	sends atomic.Uint64
	drops atomic.Uint64

	mu        sync.Mutex
	sockets   map[netip.AddrPort]*PacketConn
	redirects map[netip.AddrPort]netip.AddrPort
	paths     map[netip.Addr]Path
	flows     flows
	ephemeral uint16
	now       func() time.Time
}

// NewSegment returns one on which nobody is.
func NewSegment() *Segment {
	return &Segment{
		sockets: map[netip.AddrPort]*PacketConn{}, redirects: map[netip.AddrPort]netip.AddrPort{},
		paths: map[netip.Addr]Path{}, flows: newFlows(), now: time.Now,
	}
}

// Dropped counts the datagrams that were lost: to full queues, too many flows, and nobody.
func (g *Segment) Dropped() uint64 { return g.drops.Load() }

// Redirect sends what is for one address to another (a host port), until undo is called.
// The error is EADDRINUSE.
func (g *Segment) Redirect(from, to netip.AddrPort) (undo func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, taken := g.redirects[from]; taken || g.sockets[from] != nil {
		return nil, os.NewSyscallError("bind", syscall.EADDRINUSE)
	}
	g.redirects[from] = to
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.redirects, from)
	}), nil
}

// Forget ends the flows that come from or go to one of the addresses: their ways are asked anew.
func (g *Segment) Forget(one func(netip.Addr) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.flows.questions {
		if one(c.client.Addr()) || one(c.target.Addr()) {
			g.flows.end(c)
		}
	}
}

// At has path decide, after the sender's own, about what is sent to a node's address: its node
// ports. Nil ends that.
func (g *Segment) At(node netip.Addr, path Path) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if path == nil {
		delete(g.paths, node)
		return
	}
	g.paths[node] = path
}

// yieldAfter is how many datagrams are sent before everybody else has a turn: js has one thread and no
// preemption, and a sender never waits.
const yieldAfter = 32

// send brings a datagram on its way. The error is ECONNREFUSED where nobody listens at the end.
func (g *Segment) send(path Path, from, to netip.AddrPort, payload []byte) error {
	if g.sends.Add(1)%yieldAfter == 0 {
		runtime.Gosched()
	}
	target, source, known := g.tracked(from, to)
	if !known {
		way, err := g.way(path, from, to)
		if err == nil {
			target, source, err = g.begin(from, to, way)
		}
		if errors.Is(err, syscall.ECONNREFUSED) {
			return err
		}
		if err != nil {
			g.drops.Add(1)
			return nil // the sender of a datagram that is dropped hears nothing
		}
	}
	g.mu.Lock()
	s := g.sockets[target]
	g.mu.Unlock()
	if s == nil {
		g.drops.Add(1)
		return os.NewSyscallError("write", syscall.ECONNREFUSED)
	}
	if !s.deliver(source, payload) {
		g.drops.Add(1)
	}
	return nil
}

// way asks the sender's path, then that of the node whose address it leads to.
func (g *Segment) way(path Path, from, to netip.AddrPort) (Way, error) {
	way, err := path("udp", from.Addr(), to)
	if err != nil {
		return way, err
	}
	g.mu.Lock()
	next := g.paths[way.To.Addr()]
	g.mu.Unlock()
	if next != nil && way.To == to {
		if way, err = next("udp", from.Addr(), to); err != nil {
			return way, err
		}
	}
	g.mu.Lock()
	other, ok := g.redirects[way.To]
	g.mu.Unlock()
	if ok {
		as := way.As
		if way, err = path("udp", from.Addr(), other); err == nil && as.IsValid() {
			way.As = as
		}
	}
	return way, err
}

// tracked gives the way of a flow that there is, in either direction.
func (g *Segment) tracked(from, to netip.AddrPort) (target, source netip.AddrPort, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.flows.find(from, to, g.now())
}

// begin takes a new flow in.
func (g *Segment) begin(from, to netip.AddrPort, way Way) (target, source netip.AddrPort, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.flows.begin(from, to, way, g.now())
}

// hangUp ends a flow: nobody can get its answers any more.
func (g *Segment) hangUp(from, to netip.AddrPort) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.flows.questions[ends{from, to}]; c != nil {
		g.flows.end(c)
	}
}

// firstEphemeral is Linux' first port for whoever asks for none.
const firstEphemeral = 32768

// bind takes port on all addresses; 0 takes one that is free on each, and for which also says so.
func (g *Segment) bind(s *PacketConn, ips []netip.Addr, port uint16, also func(port uint16) bool) (uint16, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	free := func(port uint16) bool {
		for _, ip := range ips {
			at := netip.AddrPortFrom(ip, port)
			if _, taken := g.redirects[at]; taken || g.sockets[at] != nil {
				return false
			}
		}
		return also == nil || also(port)
	}
	if port == 0 {
		for range 1<<16 - firstEphemeral {
			next := firstEphemeral + g.ephemeral%(1<<16-firstEphemeral)
			g.ephemeral++
			if free(next) {
				port = next
				break
			}
		}
	}
	if port == 0 || !free(port) {
		return 0, os.NewSyscallError("bind", syscall.EADDRINUSE)
	}
	for _, ip := range ips {
		g.sockets[netip.AddrPortFrom(ip, port)] = s
	}
	return port, nil
}

func (g *Segment) unbind(s *PacketConn, ips []netip.Addr, port uint16) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, ip := range ips {
		if at := netip.AddrPortFrom(ip, port); g.sockets[at] == s {
			delete(g.sockets, at)
		}
	}
}

// Listen binds an address for the cluster itself, which is on no node: what it sends goes to
// addresses as they are.
func (g *Segment) Listen(at netip.AddrPort) (*PacketConn, error) {
	s := newPacketConn(g, Direct)
	s.ips = []netip.Addr{at.Addr()}
	port, err := g.bind(s, s.ips, at.Port(), nil)
	if err != nil {
		return nil, err
	}
	s.local = netip.AddrPortFrom(at.Addr(), port)
	return s, nil
}
