package podnet

import (
	"fmt"
	"net/netip"
	"time"
)

// How long a flow is remembered that was not answered, and that was: nf_conntrack_udp_timeout and
// nf_conntrack_udp_timeout_stream of Linux. maxFlows is how many there are in a cluster, maxFlowsOf
// how many of one sender.
const (
	unansweredFor = 30 * time.Second
	answeredFor   = 120 * time.Second
	maxFlows      = 16384
	maxFlowsOf    = 2048
)

// ends are a datagram's two addresses.
type ends struct{ from, to netip.AddrPort }

// flow is a conversation: client sends to asked, which target gets from source.
type flow struct {
	client, asked  netip.AddrPort
	target, source netip.AddrPort
	still          func() bool
	until          time.Time
	answered       bool
}

// flows are the conversations by what either side sends.
type flows struct {
	questions map[ends]*flow // client → asked
	answers   map[ends]*flow // target → source
	of        map[netip.Addr]int
	port      uint16
}

func newFlows() flows {
	return flows{questions: map[ends]*flow{}, answers: map[ends]*flow{}, of: map[netip.Addr]int{}}
}

// find gives where a datagram of a flow goes, and from whom it seems to come.
func (f *flows) find(from, to netip.AddrPort, now time.Time) (target, source netip.AddrPort, ok bool) {
	if a := f.live(f.answers[ends{from, to}], now); a != nil {
		a.answered, a.until = true, now.Add(answeredFor)
		return a.client, a.asked, true
	}
	q := f.live(f.questions[ends{from, to}], now)
	if q == nil {
		return target, source, false
	}
	if q.still != nil && !q.still() {
		f.end(q)
		return target, source, false
	}
	q.until = now.Add(unansweredFor)
	if q.answered {
		q.until = now.Add(answeredFor)
	}
	return q.target, q.source, true
}

// live is nil for a flow that has ended.
func (f *flows) live(c *flow, now time.Time) *flow {
	if c != nil && now.After(c.until) {
		f.end(c)
		return nil
	}
	return c
}

// begin takes a flow in. The error is ErrDropped, wrapped, if there are too many.
func (f *flows) begin(from, to netip.AddrPort, way Way, now time.Time) (target, source netip.AddrPort, err error) {
	if len(f.questions) >= maxFlows || f.of[from.Addr()] >= maxFlowsOf {
		f.sweep(now)
	}
	if len(f.questions) >= maxFlows || f.of[from.Addr()] >= maxFlowsOf {
		return target, source, fmt.Errorf("%w: %d flows of %s, %d of all", ErrDropped, f.of[from.Addr()], from.Addr(), len(f.questions))
	}
	source = from
	if way.As.IsValid() {
		source = netip.AddrPortFrom(way.As, from.Port())
	}
	// Two flows that would look alike to the one that answers differ by a port, as after masquerading.
	for range maxFlows {
		if f.live(f.answers[ends{way.To, source}], now) == nil {
			break
		}
		f.port++
		source = netip.AddrPortFrom(source.Addr(), firstEphemeral+f.port%(1<<16-firstEphemeral))
	}
	if old := f.answers[ends{way.To, source}]; old != nil {
		f.end(old)
	}
	c := &flow{client: from, asked: to, target: way.To, source: source, still: way.Still, until: now.Add(unansweredFor)}
	f.questions[ends{from, to}] = c
	f.answers[ends{way.To, source}] = c
	f.of[from.Addr()]++
	return c.target, c.source, nil
}

func (f *flows) end(c *flow) {
	delete(f.questions, ends{c.client, c.asked})
	delete(f.answers, ends{c.target, c.source})
	if f.of[c.client.Addr()]--; f.of[c.client.Addr()] <= 0 {
		delete(f.of, c.client.Addr())
	}
}

// sweep ends the flows that nobody needs any more.
func (f *flows) sweep(now time.Time) {
	for _, c := range f.questions {
		f.live(c, now)
	}
}
