package crowd

import (
	"container/list"
	"net"
	"net/netip"
	"sync"
)

// Crowd is who is here and not known yet.
type Crowd struct {
	// PerSource is how many guests one source may have, All how many there may be.
	PerSource, All int

	mu      sync.Mutex
	n       int
	sources map[string]*list.List // of *Guest, the oldest first
}

// Guest is one of a crowd.
type Guest struct {
	crowd  *Crowd
	source string
	drop   func()
	place  *list.Element // nil once it has left
}

// Enter takes a guest in. If the crowd is too large then, drop of another one is called: it must not
// block. It is not called after Leave.
func (c *Crowd) Enter(source string, drop func()) *Guest {
	g := &Guest{crowd: c, source: source, drop: drop}
	c.mu.Lock()
	if c.sources == nil {
		c.sources = map[string]*list.List{}
	}
	mine := c.sources[source]
	if mine == nil {
		mine = list.New()
		c.sources[source] = mine
	}
	g.place = mine.PushBack(g)
	c.n++
	var out *Guest
	switch {
	case mine.Len() > c.PerSource:
		out = mine.Front().Value.(*Guest)
	case c.n > c.All:
		out = c.largest().Front().Value.(*Guest)
	}
	if out != nil {
		c.remove(out)
	}
	c.mu.Unlock()
	if out != nil {
		out.drop()
	}
	return g
}

// largest is the source with most guests. The caller holds mu.
func (c *Crowd) largest() (most *list.List) {
	for _, l := range c.sources {
		if most == nil || l.Len() > most.Len() {
			most = l
		}
	}
	return most
}

// remove is called with mu held.
func (c *Crowd) remove(g *Guest) {
	l := c.sources[g.source]
	l.Remove(g.place)
	g.place = nil
	if l.Len() == 0 {
		delete(c.sources, g.source)
	}
	c.n--
}

// Leave takes the guest out of the crowd: it has gone, or is known. Further calls do nothing, and so
// do those of no guest.
func (g *Guest) Leave() {
	if g == nil {
		return
	}
	g.crowd.mu.Lock()
	defer g.crowd.mu.Unlock()
	if g.place != nil {
		g.crowd.remove(g)
	}
}

// Len is how many guests there are.
func (c *Crowd) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// Source is where somebody comes from, by an address with or without a port: an IPv4 address, or the
// first 64 bits of an IPv6 one, as a customer or a host has all the rest.
func Source(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return address // a unix socket
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	p, err := ip.Prefix(64)
	if err != nil {
		return ip.String()
	}
	return p.String()
}
