package serviceproxy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tabernetes/tabernetes/core/node/podnet"
)

// ErrElsewhere says that a Service's endpoints are all on other nodes, where only this node's may serve. A load
// balancer asks another node, then. It is a podnet.ErrDropped.
var ErrElsewhere = fmt.Errorf("%w by this node", podnet.ErrDropped)

// connectTimeout is how long a connection is tried to whom nothing answers: Linux' six retries.
const connectTimeout = 127 * time.Second

// Dial connects a pod, from its own address, to "IP:port": to an endpoint if that is a Service's,
// else to what it says. It is a podnet.Dialer. A Service without endpoints refuses connections, one
// whose endpoints are all on other nodes, where only the node's own may serve, lets them wait.
func (p *Proxy) Dial(ctx context.Context, from netip.Addr, network, address string) (net.Conn, error) {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return p.opts.Dial(ctx, from, network, address)
	}
	way, err := p.Way(network, from, to)
	return p.Follow(ctx, from, way, network, to, err)
}

// Follow makes the connection that a way leads to, of which err said where it does not: who is dropped hears nothing.
func (p *Proxy) Follow(ctx context.Context, from netip.Addr, way podnet.Way, network string, to netip.AddrPort, err error) (net.Conn, error) {
	if errors.Is(err, podnet.ErrDropped) {
		err = Silence(ctx)
	}
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: net.TCPAddrFromAddrPort(to), Err: err}
	}
	if way.As.IsValid() {
		from = way.As
	}
	return p.opts.Dial(ctx, from, network, way.To.String())
}

// Silence is what one hears of a firewall that drops: after Linux' time an ETIMEDOUT, or ctx's error when that is done.
func Silence(ctx context.Context) error {
	timer := time.NewTimer(connectTimeout)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return os.NewSyscallError("connect", syscall.ETIMEDOUT)
	}
}

// Way is where a pod's connection or datagram to an address goes. It is a podnet.Path.
func (p *Proxy) Way(network string, from netip.Addr, to netip.AddrPort) (podnet.Way, error) {
	to = netip.AddrPortFrom(to.Addr().Unmap(), to.Port())
	at := address{network[:min(3, len(network))], to}
	way := podnet.Way{To: to}
	if f := p.table.Load().addresses[at]; f != nil {
		var err error
		if way, err = p.serve(f, from); err != nil {
			return way, err
		}
		way.Still = func() bool { return p.table.Load().addresses[at].has(way.To) }
	}
	return way, p.allowed(network, from, way)
}

// Published says whether an address is a Service's for clients outside of the cluster: an external IP or a load
// balancer's address. Node ports are the nodes' own.
func (p *Proxy) Published(network string, at netip.AddrPort) bool {
	f := p.table.Load().addresses[address{network[:min(3, len(network))], netip.AddrPortFrom(at.Addr().Unmap(), at.Port())}]
	return f != nil && f.published
}

// AtNode is the way of what is sent to the node's own address: that of its node ports.
func (p *Proxy) AtNode(network string, from netip.Addr, to netip.AddrPort) (podnet.Way, error) {
	at := nodePort{network[:min(3, len(network))], int(to.Port())}
	f := p.table.Load().nodePorts[at]
	if f == nil {
		return podnet.Way{To: to}, nil
	}
	way, err := p.serve(f, from)
	if err != nil {
		return way, err
	}
	way.Still = func() bool { return p.table.Load().nodePorts[at].has(way.To) }
	return way, p.allowed(network, from, way)
}

func (p *Proxy) allowed(network string, from netip.Addr, way podnet.Way) error {
	if p.opts.Allow == nil {
		return nil
	}
	as := from
	if way.As.IsValid() {
		as = way.As
	}
	return p.opts.Allow(network, from, as, way.To)
}

// serve chooses an endpoint for a client.
func (p *Proxy) serve(f *frontend, client netip.Addr) (podnet.Way, error) {
	if len(f.sources) > 0 && !slices.ContainsFunc(f.sources, func(s netip.Prefix) bool { return s.Contains(client) }) {
		return podnet.Way{}, fmt.Errorf("%w: %s is not in the loadBalancerSourceRanges of %s", podnet.ErrDropped, client, f.name)
	}
	endpoints := f.endpoints
	if f.inside != nil && (p.opts.Pods.Contains(client) || client == p.opts.IP) {
		endpoints = f.inside // as kube-proxy has it: a pod is no client from outside
	}
	switch {
	case len(endpoints) > 0:
	case f.elsewhere:
		return podnet.Way{}, fmt.Errorf("%w: no endpoint of %s is on node %s", ErrElsewhere, f.name, p.opts.Node)
	default:
		return podnet.Way{}, os.NewSyscallError("connect", syscall.ECONNREFUSED)
	}
	to, err := netip.ParseAddrPort(p.affinity.choose(f, endpoints, client, time.Now(), anyOf))
	if err != nil {
		return podnet.Way{}, fmt.Errorf("endpoint of %s: %w", f.name, err)
	}
	way := podnet.Way{To: to}
	if f.masquerade || to.Addr() == client { // a pod that meets itself
		way.As = p.opts.IP
	}
	return way, nil
}

// has says whether a way's end may go on serving.
func (f *frontend) has(to netip.AddrPort) bool {
	return f != nil && (slices.Contains(f.endpoints, to.String()) || slices.Contains(f.inside, to.String()))
}

func anyOf(endpoints []string) string { return endpoints[rand.IntN(len(endpoints))] }

// isStream says whether a network's name is TCP's.
func isStream(network string) bool { return strings.HasPrefix(network, "tcp") }
