package told

import (
	"context"
	"errors"

	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/tabernetes/tabernetes/core/trace"
)

// maxPods bounds the pods that are remembered of one node; the oldest go.
const maxPods = 2048

// Lookups of pods that are not remembered: a node that invents pods has no more of the API.
const lookupsAtOnce, lookupsPerSecond = 300, 20

var (
	errOthers  = errors.New("the pod is not the node's")
	errUnknown = errors.New("there is no such pod")
)

// pod is one of the node's own.
type pod struct {
	namespace, name, uid string
	// cause is the latest step that had written the pod when it was first told of: its binding,
	// or what its kubelet made of that.
	cause trace.ID
	// sandbox is reserved for the call that makes the pod's sandbox, once a CNI plugin was called
	// for it, which ends before.
	sandbox trace.ID
}

// pods are a node's own, by UID. It is for one goroutine.
type pods struct {
	node  string
	bus   *trace.Bus
	get   func(ctx context.Context, namespace, name string) (*corev1.Pod, error)
	limit *rate.Limiter
	known map[string]*pod
	order []string
}

func newPods(o *Options) *pods {
	return &pods{
		node: o.Node, bus: o.Bus, get: o.Pod, known: map[string]*pod{},
		limit: rate.NewLimiter(lookupsPerSecond, lookupsAtOnce),
	}
}

// configHash is how kubelets name a static pod's UID on its mirror in the API.
const configHash = "kubernetes.io/config.hash"

// find gives the pod if it is the node's own, whether it is there yet or not any more.
func (p *pods) find(ctx context.Context, namespace, name, uid string) (*pod, error) {
	if known := p.known[uid]; known != nil {
		return known, nil
	}
	if !p.limit.Allow() {
		return nil, errUnknown
	}
	object, err := p.get(ctx, namespace, name)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsBadRequest(err), apierrors.IsInvalid(err):
		return nil, errUnknown
	case err != nil:
		return nil, err
	case uid == "" || string(object.UID) != uid && object.Annotations[configHash] != uid:
		return nil, errUnknown // one of the same name, most likely
	case object.Spec.NodeName != p.node:
		return nil, errOthers
	}
	if len(p.order) >= maxPods {
		delete(p.known, p.order[0])
		p.order = p.order[1:]
	}
	mine := &pod{namespace: object.Namespace, name: object.Name, uid: uid, cause: p.bus.Latest(string(object.UID))}
	p.known[uid], p.order = mine, append(p.order, uid)
	return mine, nil
}
