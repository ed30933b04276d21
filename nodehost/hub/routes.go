package hub

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/time/rate"

	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/crowd"
)

// How many nodes may be attached, and what a machine gets that says it is one. Whoever can reach the
// hub can say that; what a machine does to become a node takes a handful of connections.
const (
	// maxNodes is how many nodes that a cluster knows may be attached, of all clusters.
	maxNodes = 1024
	// unknownNodes may be attached beside them, unknownPerSource of them from one address.
	unknownNodes, unknownPerSource = 128, 16
	// knownStreams and unknownStreams are how many streams such a session may hold.
	knownStreams, unknownStreams = 512, 16
)

// nodes are the machines that are attached, by route. A node shows no secret: all that it gets is
// what a client's connection gets, a way to an apiserver that asks for credentials itself. What it
// is to a cluster is in its Node object, which the Node authorizer guards: the node writes its
// route there, and the cluster dials the routes that it reads there. It tells the hub, too, which
// they are: those are known, and do not go short for the others' sake.
type nodes struct {
	mu      sync.Mutex
	byRoute map[string]*attachedNode
	known   map[string]map[string]bool // routes by cluster
	unknown crowd.Crowd
	closed  bool
}

func newNodes() nodes {
	return nodes{
		byRoute: map[string]*attachedNode{}, known: map[string]map[string]bool{},
		unknown: crowd.Crowd{PerSource: unknownPerSource, All: unknownNodes},
	}
}

type attachedNode struct {
	cluster, route string
	from           string // "host:port"
	session        *tunnel.Session
	// known is called when its cluster knows it.
	known   func()
	streams *rate.Limiter // of a known one's
	// guest is its place among the unknown, nil when it is known; guarded by nodes.mu.
	guest *crowd.Guest
}

// learn reads from a cluster which nodes it has until the stream ends.
func (n *nodes) learn(cluster string, stream io.Reader) {
	for {
		routes, err := tunnel.ReadRoutes(stream)
		if err != nil {
			return
		}
		n.know(cluster, routes)
	}
}

// know takes the routes of a cluster's nodes; those that it had before and has no more are unknown.
func (n *nodes) know(cluster string, routes []string) {
	known := make(map[string]bool, len(routes))
	for _, r := range routes {
		known[r] = true
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(known) == 0 {
		delete(n.known, cluster)
	} else {
		n.known[cluster] = known
	}
	for route, a := range n.byRoute {
		if a.cluster == cluster {
			n.place(a, known[route])
		}
	}
}

// knows reports whether a cluster has a node of that route.
func (n *nodes) knows(cluster, route string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.known[cluster][route]
}

// place gives a node its place among the known or the unknown. The caller holds mu.
func (n *nodes) place(a *attachedNode, known bool) {
	switch {
	case known:
		a.guest.Leave()
		a.guest = nil
		a.session.SetMaxStreams(knownStreams)
		a.known()
	case a.guest == nil:
		a.session.SetMaxStreams(unknownStreams)
		a.guest = n.unknown.Enter(crowd.Source(a.from), func() { go a.session.Close() })
	}
}

// attach puts a node in place; a session that it had before is ended.
func (n *nodes) attach(a *attachedNode) error {
	n.mu.Lock()
	old := n.byRoute[a.route]
	known := n.known[a.cluster][a.route]
	if n.closed || old == nil && known && n.countKnown() >= maxNodes {
		n.mu.Unlock()
		return fmt.Errorf("%d nodes are attached, more are not allowed", maxNodes)
	}
	if old != nil {
		old.guest.Leave()
	}
	n.byRoute[a.route] = a
	n.place(a, known)
	n.mu.Unlock()
	if old != nil {
		_ = old.session.Close()
	}
	return nil
}

// countKnown is called with mu held.
func (n *nodes) countKnown() (count int) {
	for _, a := range n.byRoute {
		if a.guest == nil {
			count++
		}
	}
	return count
}

// detach takes a node away, unless it has come back meanwhile.
func (n *nodes) detach(a *attachedNode) {
	n.mu.Lock()
	defer n.mu.Unlock()
	a.guest.Leave()
	if n.byRoute[a.route] == a {
		delete(n.byRoute, a.route)
	}
}

// find is the session of a cluster's node.
func (n *nodes) find(route, cluster string) (*tunnel.Session, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if a := n.byRoute[route]; a != nil && a.cluster == cluster {
		return a.session, nil
	}
	return nil, errors.New("the node is not attached to the hub")
}

func (n *nodes) close() {
	n.mu.Lock()
	n.closed = true
	var sessions []*tunnel.Session
	for _, a := range n.byRoute {
		sessions = append(sessions, a.session)
	}
	n.mu.Unlock()
	for _, s := range sessions {
		_ = s.Close()
	}
}
