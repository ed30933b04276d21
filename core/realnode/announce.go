package realnode

import (
	"cmp"
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/realnode/wellknown"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// announcer tells the hub which nodes the cluster has: the hub serves them before machines that only
// say that they are nodes.
type announcer struct {
	open    func(tunnel.Header) (net.Conn, error)
	changed chan struct{} // holds one

	mu     sync.Mutex
	byNode map[string]announced
}

type announced struct {
	route string
	since time.Time
}

func newAnnouncer(open func(tunnel.Header) (net.Conn, error)) *announcer {
	return &announcer{open: open, changed: make(chan struct{}, 1), byNode: map[string]announced{}}
}

// update takes a Node's route as it is now.
func (a *announcer) update(n *corev1.Node) {
	next := announced{n.Annotations[wellknown.RouteAnnotation], n.CreationTimestamp.Time}
	if next.route == "" || n.Annotations[wellknown.LeftAnnotation] != "" {
		a.remove(n.Name)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.byNode[n.Name] != next {
		a.byNode[n.Name] = next
		a.wake()
	}
}

func (a *announcer) remove(node string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, had := a.byNode[node]; had {
		delete(a.byNode, node)
		a.wake()
	}
}

func (a *announcer) wake() {
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

// routes are those of the oldest Nodes first: whoever makes Nodes without end pushes nobody out.
func (a *announcer) routes() []string {
	a.mu.Lock()
	all := make([]announced, 0, len(a.byNode))
	for _, n := range a.byNode {
		all = append(all, n)
	}
	a.mu.Unlock()
	slices.SortFunc(all, func(x, y announced) int {
		return cmp.Or(x.since.Compare(y.since), cmp.Compare(x.route, y.route))
	})
	routes := make([]string, len(all))
	for i, n := range all {
		routes[i] = n.route
	}
	return routes
}

// How long run waits for a tunnel, and for a hub that does not know what this is.
const (
	tunnelWait  = time.Second
	refusedWait = time.Minute
)

// run tells the hub until ctx is done, on each tunnel anew.
func (a *announcer) run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := tunnelWait
		if _, refused := errors.AsType[*tunnel.StreamRefusal](a.tell(ctx)); refused {
			klog.InfoS("The hub does not take the nodes' routes; it is an older one")
			wait = refusedWait
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// tell tells one hub until the tunnel ends, or ctx does.
func (a *announcer) tell(ctx context.Context) error {
	conn, err := a.open(tunnel.Header{Kind: tunnel.KindRoutes})
	if err != nil {
		return err
	}
	defer conn.Close()
	ended := make(chan error, 1)
	go func() {
		_, err := conn.Read(make([]byte, 1)) // the hub says nothing; this ends with the stream
		ended <- err
	}()
	for {
		if err := tunnel.WriteRoutes(conn, a.routes()); err != nil {
			return err
		}
		select {
		case <-a.changed:
		case err := <-ended:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}
