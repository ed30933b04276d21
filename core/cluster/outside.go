package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// outside is the control plane's way to the addresses outside of the cluster that its owner has named in the
// configuration: by the hub, whose operator has to have named them as well. Nodes and pods have no such way.
type outside struct {
	mu    sync.Mutex
	hub   *outsideHub // nil while the cluster is on none
	conns map[*outsideConn]struct{}
}

type outsideHub struct {
	open func(tunnel.Header) (net.Conn, error)
}

// outsideConn is known until it is closed: what is named no more is not reached any more.
type outsideConn struct {
	net.Conn
	of     *outside
	target string
}

// Close implements net.Conn.
func (c *outsideConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.conns, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// LeadOutside has what the control plane may reach outside go by streams of a tunnel, until end is called: open opens
// one, or fails while there is no tunnel.
func (c *Cluster) LeadOutside(open func(tunnel.Header) (net.Conn, error)) (end func()) {
	hub := &outsideHub{open}
	c.outside.mu.Lock()
	defer c.outside.mu.Unlock()
	c.outside.hub = hub
	return func() {
		c.outside.mu.Lock()
		defer c.outside.mu.Unlock()
		if c.outside.hub == hub {
			c.outside.hub = nil
		}
	}
}

// routeOutside is the way to an address that the configuration in force names, and nil for any other.
func (c *Cluster) routeOutside(address string) utilnet.DialFunc {
	target, err := tunnel.ParseOutside(address)
	if err != nil || !slices.Contains(namedOutside(c.configurationInForce()), target) {
		return nil
	}
	return func(_ context.Context, network, _ string) (net.Conn, error) {
		if network != "tcp" {
			return nil, fmt.Errorf("dial %s: only tcp is led outside, not %s", target, network)
		}
		conn, err := c.outside.dial(target)
		if err != nil {
			return nil, fmt.Errorf("dial %s by the hub: %w", target, err)
		}
		return conn, nil
	}
}

var errNoHub = errors.New("this cluster is on no hub: start one with `nodehost serve --outside HOST:PORT`, and open the page by it")

func (o *outside) dial(target string) (net.Conn, error) {
	o.mu.Lock()
	hub := o.hub
	o.mu.Unlock()
	if hub == nil {
		return nil, errNoHub
	}
	stream, err := hub.open(tunnel.Header{Kind: tunnel.KindOutside, Target: target})
	if err != nil {
		return nil, err
	}
	conn := &outsideConn{Conn: stream, of: o, target: target}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.conns == nil {
		o.conns = map[*outsideConn]struct{}{}
	}
	o.conns[conn] = struct{}{}
	return conn, nil
}

// keepOnly closes what leads to any other address.
func (o *outside) keepOnly(named []string) {
	o.mu.Lock()
	var others []*outsideConn
	for conn := range o.conns {
		if !slices.Contains(named, conn.target) {
			others = append(others, conn)
		}
	}
	o.mu.Unlock()
	for _, conn := range others {
		_ = conn.Close()
	}
}

// namedOutside are the addresses that a configuration names. What cannot be read names none: CheckConfiguration says so.
func namedOutside(f configuration.Files) (named []string) {
	for _, line := range f.Lines(configuration.Outside) {
		if target, err := tunnel.ParseOutside(line.Text); err == nil {
			named = append(named, target)
		}
	}
	return named
}

// maxOutside is how many addresses a configuration may name.
const maxOutside = 32

// checkOutside says what cannot be read.
func checkOutside(f configuration.Files) error {
	lines := f.Lines(configuration.Outside)
	var errs []error
	if len(lines) > maxOutside {
		errs = append(errs, fmt.Errorf("%s: %d addresses are too many; at most %d are taken", configuration.Outside, len(lines), maxOutside))
	}
	for _, line := range lines {
		if _, err := tunnel.ParseOutside(line.Text); err != nil {
			errs = append(errs, fmt.Errorf("%s, line %d: %w", configuration.Outside, line.Number, err))
		}
	}
	return errors.Join(errs...)
}
