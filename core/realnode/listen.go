package realnode

import (
	"context"
	"net"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/nodedial"
	"github.com/tabernetes/tabernetes/core/realnode/told"
)

// maxListeners bounds the nodes that are listened to at once: each is a stream at the hub.
const maxListeners = 200

// listeners hear what real nodes tell of themselves, a connection for each.
type listeners struct {
	ctx     context.Context
	routes  *routes
	running sync.WaitGroup

	mu     sync.Mutex
	byNode map[string]listener
}

type listener struct {
	way  way
	stop context.CancelFunc
}

func newListeners(ctx context.Context, r *routes) *listeners {
	return &listeners{ctx: ctx, routes: r, byNode: map[string]listener{}}
}

// update listens to a Node by the way that leads to it now. Only a proven way is taken: who else is at
// the end of one is not known.
func (l *listeners) update(n *corev1.Node) {
	o := &l.routes.options
	if o.Trace == nil {
		return
	}
	w := wayTo(n)
	l.mu.Lock()
	defer l.mu.Unlock()
	have, listening := l.byNode[n.Name]
	if listening && have.way == w {
		return
	}
	if listening {
		have.stop()
		delete(l.byNode, n.Name)
	}
	if w.route == "" || !w.proven || len(l.byNode) >= maxListeners {
		return
	}
	ctx, stop := context.WithCancel(l.ctx)
	l.byNode[n.Name] = listener{w, stop}
	l.running.Go(func() {
		told.Follow(ctx, told.Options{
			Bus: o.Trace, Node: n.Name,
			Dial: func(ctx context.Context) (net.Conn, error) { return l.routes.dial(w)(ctx, "tcp", nodedial.Steps) },
			Pod: func(ctx context.Context, namespace, name string) (*corev1.Pod, error) {
				return o.Client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
			},
		})
	})
}

func (l *listeners) remove(node string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if have, ok := l.byNode[node]; ok {
		have.stop()
		delete(l.byNode, node)
	}
}

// wait returns when nobody listens any more, after ctx is done.
func (l *listeners) wait() {
	l.mu.Lock()
	for _, have := range l.byNode {
		have.stop()
	}
	l.mu.Unlock()
	l.running.Wait()
}
