package hub

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// A cluster whose tunnel is gone keeps its name for a while, as nobody but itself can say that
// it is the same one; after that, another one may take it.
const nameKept = 10 * time.Minute

// maxClusters bounds the registry.
const maxClusters = 256

// registry is the clusters that are attached, or were a moment ago, by name.
type registry struct {
	hub *Hub

	mu     sync.Mutex
	byName map[string]*cluster
	closed bool
}

// cluster is one entry. All fields are guarded by registry.mu.
type cluster struct {
	name     string
	instance string
	session  *tunnel.Session // nil while it is away
	since    time.Time       // of session's coming or going
	run      string          // whose session it is, or was
	replaced []string        // runs whose place another one has taken, the newest last
	back     chan struct{}   // closed when it comes
	port     net.Listener    // its own; nil if there is none
	shares   *shares         // of its streams; guards itself
}

func newRegistry(h *Hub) *registry { return &registry{hub: h, byName: map[string]*cluster{}} }

// claim finds the name for a hello, and keeps it for that instance.
func (r *registry) claim(h tunnel.Hello) (*cluster, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, &tunnel.Refusal{Reason: "the hub is stopping"}
	}
	name := h.Name
	if name == "" {
		name = r.freeName(h.Instance)
	}
	c := r.byName[name]
	switch {
	case c == nil:
		r.forgetGone() // and their ports are free
		if len(r.byName) >= maxClusters {
			return nil, &tunnel.Refusal{Reason: fmt.Sprintf("%d clusters are attached, more are not allowed", maxClusters)}
		}
		c = &cluster{name: name, instance: h.Instance, run: h.Run, since: time.Now(), back: make(chan struct{}), shares: &shares{}}
		if err := r.openPort(c); err != nil {
			return nil, err
		}
		r.byName[name] = c
	case sameInstance(c, h.Instance):
		if !c.take(h.Run) {
			return nil, &tunnel.Refusal{
				Reason: fmt.Sprintf("cluster %q was opened once more, and the newer one has its place; close one of the two, or open this one by the hub's address again", name),
				Final:  true,
			}
		}
	case c.session == nil && time.Since(c.since) > nameKept:
		c.instance, c.since = h.Instance, time.Now() // it is kept for this one from now on
		c.run, c.replaced = h.Run, nil
		r.hub.nodes.know(name, nil)
	default:
		return nil, &tunnel.Refusal{
			Reason: fmt.Sprintf("another cluster is called %q; choose another name", name),
			Final:  true,
		}
	}
	return c, nil
}

// maxReplaced is how many runs of a cluster are remembered. One that is refused does not come back.
const maxReplaced = 16

// take says whether a run may have the cluster's place: one that has it, or a newer one. Without that, a
// tab that was duplicated and the first one would take it from each other for ever.
func (c *cluster) take(run string) bool {
	switch {
	case run == "" || run == c.run:
		return true
	case slices.Contains(c.replaced, run):
		return false
	}
	if c.run != "" {
		c.replaced = append(c.replaced, c.run)
		c.replaced = c.replaced[max(0, len(c.replaced)-maxReplaced):]
	}
	c.run = run
	return true
}

func sameInstance(c *cluster, instance string) bool {
	return subtle.ConstantTimeCompare([]byte(c.instance), []byte(instance)) == 1
}

// freeName is the one that the instance had, or the first of tab, tab-2, tab-3 … that is free.
func (r *registry) freeName(instance string) string {
	for name, c := range r.byName {
		if sameInstance(c, instance) {
			return name
		}
	}
	for i := 1; ; i++ {
		name := "tab"
		if i > 1 {
			name = fmt.Sprintf("tab-%d", i)
		}
		if c := r.byName[name]; c == nil || c.session == nil && time.Since(c.since) > nameKept {
			return name
		}
	}
}

// forgetGone drops clusters whose name is not kept any more.
func (r *registry) forgetGone() {
	maps.DeleteFunc(r.byName, func(name string, c *cluster) bool {
		gone := c.session == nil && time.Since(c.since) > nameKept
		if gone {
			r.hub.nodes.know(name, nil)
			if c.port != nil {
				_ = c.port.Close()
			}
		}
		return gone
	})
}

func (r *registry) openPort(c *cluster) error {
	if r.hub.opts.Ports == nil {
		return nil
	}
	ln, err := r.hub.opts.Ports(c.name)
	if err != nil {
		r.hub.opts.Log.Error("a cluster gets no port of its own", "cluster", c.name, "error", err)
		return &tunnel.Refusal{Reason: fmt.Sprintf("the hub has no port for the cluster %q; close another tab, or start the hub with more --cluster-ports", c.name)}
	}
	c.port = ln
	r.hub.conns.Go(func() { _ = r.hub.takeClients(context.Background(), ln, c.name) })
	return nil
}

// attach puts the session of a run in place; one that the same cluster had before is ended. A run whose
// place a newer one has taken since it was welcomed gets none: its session is ended.
func (r *registry) attach(c *cluster, run string, s *tunnel.Session) {
	r.mu.Lock()
	if slices.Contains(c.replaced, run) {
		r.mu.Unlock()
		_ = s.Close()
		return
	}
	old := c.session
	c.session, c.since = s, time.Now()
	if old == nil {
		close(c.back)
	}
	closed := r.closed
	r.mu.Unlock()
	if old != nil {
		_ = old.Close()
	}
	if closed {
		_ = s.Close()
	}
}

// detach takes a session away, unless another one has taken its place.
func (r *registry) detach(c *cluster, s *tunnel.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.session == s {
		c.session, c.since, c.back = nil, time.Now(), make(chan struct{})
	}
}

// find is the session of a cluster and the shares of it; it waits for one that is away, for patience or what is left of
// its comeback. The empty name is the only cluster that there is.
func (r *registry) find(ctx context.Context, name string) (*tunnel.Session, *shares, error) {
	for came := time.Now(); ; {
		r.mu.Lock()
		c := r.byName[name]
		if name == "" {
			c = r.only()
		}
		if c == nil {
			r.mu.Unlock()
			return nil, nil, fmt.Errorf("no cluster is called %q", name)
		}
		s, back, expected := c.session, c.back, c.since.Add(comeback)
		r.mu.Unlock()
		if s != nil {
			return s, c.shares, nil
		}
		late := time.NewTimer(max(time.Until(came.Add(patience)), time.Until(expected)))
		select {
		case <-back:
			late.Stop()
			continue
		case <-late.C:
		case <-ctx.Done():
			late.Stop()
		}
		return nil, nil, fmt.Errorf("cluster %q is not attached", name)
	}
}

// instance is which cluster has a name now; empty for none.
func (r *registry) instance(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.byName[name]; c != nil {
		return c.instance
	}
	return ""
}

// resolve is the name of a cluster that is attached, or was a moment ago; the empty name is the only
// one that there is.
func (r *registry) resolve(name string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name != "" {
		if r.byName[name] == nil {
			return "", fmt.Errorf("no cluster is called %q", name)
		}
		return name, nil
	}
	if c := r.only(); c != nil {
		return c.name, nil
	}
	return "", errors.New("no cluster or several are attached; name one")
}

// only is the one cluster that is attached; if none is, the one that has a name here: it has said hello
// and its session is a moment away, or it is expected back. Nil if there are none or several.
func (r *registry) only() *cluster {
	var attached, away []*cluster
	for _, c := range r.byName {
		if c.session != nil {
			attached = append(attached, c)
		} else {
			away = append(away, c)
		}
	}
	switch {
	case len(attached) == 1:
		return attached[0]
	case len(attached) == 0 && len(away) == 1:
		return away[0]
	}
	return nil
}

// Cluster is what the hub says of a cluster.
type Cluster struct {
	Name       string    `json:"name"`
	Attached   bool      `json:"attached"`
	Since      time.Time `json:"since"`
	Streams    int       `json:"streams"`
	ServerName string    `json:"serverName"`
	// Addresses are "host:port" for clients: the first needs ServerName, a second does not.
	Addresses []string `json:"addresses"`
}

// Clusters lists what is attached, or was a moment ago, by name.
func (h *Hub) Clusters() []Cluster {
	r := h.clusters
	r.mu.Lock()
	defer r.mu.Unlock()
	all := []Cluster{}
	for _, name := range slices.Sorted(maps.Keys(r.byName)) {
		c := r.byName[name]
		one := Cluster{Name: name, Since: c.since, ServerName: tunnel.ServerName(name), Addresses: h.addresses(c)}
		if c.session != nil {
			one.Attached, one.Streams = true, c.session.Streams()
		}
		all = append(all, one)
	}
	return all
}

func (h *Hub) addresses(c *cluster) []string {
	addrs := []string{h.opts.ClientListener.Addr().String()}
	if c.port != nil {
		addrs = append(addrs, c.port.Addr().String())
	}
	return addrs
}

func (r *registry) close() {
	r.mu.Lock()
	r.closed = true
	var sessions []*tunnel.Session
	for _, c := range r.byName {
		if c.session != nil {
			sessions = append(sessions, c.session)
		}
		if c.port != nil {
			_ = c.port.Close()
		}
	}
	r.mu.Unlock()
	for _, s := range sessions {
		_ = s.Close()
	}
}
