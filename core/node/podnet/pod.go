package podnet

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/tabernetes/tabernetes/core/program"
)

// Dialer makes the connections that leave a pod; from is the pod's own address of the
// target's family, or invalid if it has none. address is an IP and a port.
type Dialer func(ctx context.Context, from netip.Addr, network, address string) (net.Conn, error)

// Options describe a pod's network.
type Options struct {
	// IPs are the pod's own; required.
	IPs []netip.Addr
	// Dialer makes outgoing connections. Default: net.Dialer from the pod's address.
	Dialer Dialer
	// Segment carries datagrams. Default: one on which the pod is alone.
	Segment *Segment
	// Path decides where datagrams go. Default: Direct.
	Path Path
}

// Pod is the network of one pod; its containers share it.
type Pod struct {
	opts   Options
	rx, tx atomic.Uint64
	queued atomic.Int64 // bytes of datagrams that nobody has read yet

	mu     sync.Mutex
	closed bool
	socks  map[*Sockets]struct{}
	// local is what answers on the pod's localhost, by port.
	local map[int]*listener
	// packets is what hears datagrams on the pod's localhost, by port.
	packets map[uint16]*PacketConn
}

// New returns a pod's network.
func New(opts Options) *Pod {
	opts.IPs = slices.Clone(opts.IPs)
	if opts.Dialer == nil {
		opts.Dialer = Dial
	}
	if opts.Segment == nil {
		opts.Segment = NewSegment()
	}
	if opts.Path == nil {
		opts.Path = Direct
	}
	return &Pod{opts: opts, socks: map[*Sockets]struct{}{}, local: map[int]*listener{}, packets: map[uint16]*PacketConn{}}
}

// Dial is the default Dialer: directly, from the pod's own address.
func Dial(ctx context.Context, from netip.Addr, network, address string) (net.Conn, error) {
	var d net.Dialer
	if from.IsValid() {
		d.LocalAddr = &net.TCPAddr{IP: from.AsSlice()}
	}
	return d.DialContext(ctx, network, address)
}

// IPs are the pod's own addresses.
func (p *Pod) IPs() []netip.Addr { return slices.Clone(p.opts.IPs) }

// Traffic counts the bytes that the pod's connections received and sent, its localhost's too.
func (p *Pod) Traffic() (rx, tx uint64) { return p.rx.Load(), p.tx.Load() }

// Sockets returns the network as one of the pod's containers sees it, with /etc/hosts and
// /etc/resolv.conf of its file system (nil: neither). What it opens ends with its Close.
func (p *Pod) Sockets(fs *program.FS) *Sockets {
	s := &Sockets{pod: p, fs: fs, open: map[closer]struct{}{}, listening: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		s.closed = true
	} else {
		p.socks[s] = struct{}{}
	}
	return s
}

// Close ends all listeners and connections of the pod, and lets it open no more.
func (p *Pod) Close() {
	p.mu.Lock()
	p.closed = true
	socks := p.socks
	p.socks = nil
	p.mu.Unlock()
	for s := range socks {
		s.Close()
	}
}

// bindLocal makes l answer on the pod's localhost at port.
func (p *Pod) bindLocal(port int, l *listener) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, taken := p.local[port]; taken {
		return syscall.EADDRINUSE
	}
	p.local[port] = l
	return nil
}

func (p *Pod) unbindLocal(l *listener) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.local[l.port] == l {
		delete(p.local, l.port)
	}
}

// localAddress gives the real address of what answers on the pod's localhost at port.
func (p *Pod) localAddress(port int) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l, ok := p.local[port]; ok {
		return l.inner.Addr().String(), true
	}
	return "", false
}

// ipFor gives the pod's own address of the same family as to.
func (p *Pod) ipFor(to netip.Addr) netip.Addr {
	for _, ip := range p.opts.IPs {
		if ip.Is4() == to.Is4() {
			return ip
		}
	}
	return netip.Addr{}
}
