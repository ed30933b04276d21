package localaddr

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"github.com/vishvananda/netlink"
)

const (
	// trusted is for how long a pod that the runtime has named is let in without asking again.
	trusted = 10 * time.Second
	// pause is between two questions, and maxWaiting callers wait for an answer at a time, so that
	// strangers keep neither the runtime nor this process busy.
	pause      = 500 * time.Millisecond
	maxWaiting = 64
)

// Callers tells this machine and its pods from others where nobody has said which addresses pods have:
// their network is somebody else's. The container runtime knows.
type Callers struct {
	pods      func(context.Context) ([]netip.Addr, error)
	neighbour func(netip.Addr) bool

	waiting chan struct{}
	asking  sync.Mutex

	mu    sync.Mutex
	known map[netip.Addr]bool
	at    time.Time // of the last question
}

// NewCallers asks pods for the addresses of this machine's pods. node is the machine's address in its
// network: who is on that network is no pod.
func NewCallers(node netip.Addr, pods func(context.Context) ([]netip.Addr, error)) *Callers {
	return &Callers{
		pods: pods, waiting: make(chan struct{}, maxWaiting),
		neighbour: func(caller netip.Addr) bool { return isNeighbour(node, caller) },
	}
}

// Local tells whether a caller is on this machine. For one that is not known yet it asks the runtime. It
// takes pause at most, and what the runtime takes.
func (c *Callers) Local(ctx context.Context, caller netip.Addr) bool {
	caller = caller.Unmap()
	if Local(caller, nil) {
		return true
	}
	if known, fresh := c.look(caller, time.Now().Add(-trusted)); known && fresh {
		return true
	}
	if c.neighbour(caller) {
		return false
	}
	select {
	case c.waiting <- struct{}{}:
		defer func() { <-c.waiting }()
	default:
		return false
	}
	came := time.Now()
	c.asking.Lock()
	defer c.asking.Unlock()
	if known, fresh := c.look(caller, came); fresh {
		return known // somebody has asked meanwhile
	}
	c.mu.Lock()
	wait := pause - time.Since(c.at)
	c.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return false
	}
	c.ask(ctx)
	known, _ := c.look(caller, came)
	return known
}

// look tells whether a caller is known as a pod, and whether that was asked after a time.
func (c *Callers) look(caller netip.Addr, after time.Time) (known, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[caller], c.at.After(after)
}

// ask has the runtime name the pods. One that does not answer leaves it at those that were known: pods
// go on without it.
func (c *Callers) ask(ctx context.Context) {
	pods, err := c.pods(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = time.Now()
	if err != nil {
		return
	}
	c.known = map[netip.Addr]bool{}
	for _, p := range pods {
		c.known[p.Unmap()] = true
	}
}

// isNeighbour tells whether a caller is reached by the interface that has the machine's address, or not at
// all: then it is no pod, and nobody needs to be asked.
func isNeighbour(node, caller netip.Addr) bool {
	routes, err := netlink.RouteGet(caller.AsSlice())
	if err != nil || len(routes) == 0 {
		return true
	}
	addrs, err := netlink.AddrList(nil, family(node))
	if err != nil {
		return true
	}
	for _, a := range addrs {
		if got, _ := netip.AddrFromSlice(a.IP); got.Unmap() == node && a.LinkIndex == routes[0].LinkIndex {
			return true
		}
	}
	return false
}
