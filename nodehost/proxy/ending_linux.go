package proxy

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"

	upstream "k8s.io/kubernetes/pkg/proxy"
)

// ending is a proxier that hears of this machine's pods when the kubelet does. A pod that is deleted is
// ended by its kubelet at once, while the word that no Service leads to it any more takes a way round
// by a controller. If the machine is cut off from the cluster in between, that word never comes, and a
// part of a Service's connections would be led to nobody until it is back. So the endpoints of such a
// pod are taken as the controller will say: not ready, terminating.
type ending struct {
	upstream.Provider

	mu      sync.Mutex
	deleted map[types.UID]bool                                  // pods that are being ended; true once they are not in the API any more
	slices  map[types.NamespacedName]*discoveryv1.EndpointSlice // as they are in the API
	unready map[types.NamespacedName]bool                       // Services that want pods whatever they are
}

var _ upstream.Provider = (*ending)(nil)

func newEnding(p upstream.Provider) *ending {
	return &ending{
		Provider: p, deleted: map[types.UID]bool{},
		slices: map[types.NamespacedName]*discoveryv1.EndpointSlice{}, unready: map[types.NamespacedName]bool{},
	}
}

// follow watches the pods of a node until ctx is done.
func (e *ending) follow(ctx context.Context, client kubernetes.Interface, node string) error {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithTweakListOptions(func(o *metav1.ListOptions) {
			o.FieldSelector = fields.OneTermEqualSelector("spec.nodeName", node).String()
		}),
		informers.WithTransform(func(obj any) (any, error) { // no more is looked at
			if pod, ok := obj.(*corev1.Pod); ok {
				return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, DeletionTimestamp: pod.DeletionTimestamp}}, nil
			}
			return obj, nil
		}))
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { e.podIs(obj.(*corev1.Pod)) },
		UpdateFunc: func(_, obj any) { e.podIs(obj.(*corev1.Pod)) },
		DeleteFunc: func(obj any) {
			if last, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = last.Obj
			}
			if pod, ok := obj.(*corev1.Pod); ok {
				e.podIsGone(pod.UID)
			}
		},
	})
	if err != nil {
		return fmt.Errorf("watch the node's pods: %w", err)
	}
	factory.StartWithContext(ctx)
	return nil
}

func (e *ending) podIs(pod *corev1.Pod) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, known := e.deleted[pod.UID]; known || pod.DeletionTimestamp == nil {
		return
	}
	e.deleted[pod.UID] = false
	for _, s := range e.slices {
		if names(s, pod.UID) {
			e.Provider.OnEndpointSliceUpdate(s, e.seen(s))
		}
	}
}

// podIsGone has a pod be forgotten as soon as no slice has it.
func (e *ending) podIsGone(uid types.UID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.deleted[uid] = true
	e.prune()
}

func (e *ending) prune() {
	for uid, gone := range e.deleted {
		if gone && !e.named(uid) {
			delete(e.deleted, uid)
		}
	}
}

func (e *ending) named(uid types.UID) bool {
	for _, s := range e.slices {
		if names(s, uid) {
			return true
		}
	}
	return false
}

func names(s *discoveryv1.EndpointSlice, uid types.UID) bool {
	for i := range s.Endpoints {
		if ref := s.Endpoints[i].TargetRef; ref != nil && ref.UID == uid {
			return true
		}
	}
	return false
}

// seen is a slice as the controller will have it when it knows of the pods that are being ended. The
// caller holds mu.
func (e *ending) seen(s *discoveryv1.EndpointSlice) *discoveryv1.EndpointSlice {
	if e.unready[types.NamespacedName{Namespace: s.Namespace, Name: s.Labels[discoveryv1.LabelServiceName]}] {
		return s
	}
	seen := s
	for i := range s.Endpoints {
		ref := s.Endpoints[i].TargetRef
		if ref == nil {
			continue
		}
		if _, ends := e.deleted[ref.UID]; !ends {
			continue
		}
		if seen == s {
			seen = s.DeepCopy()
		}
		c := &seen.Endpoints[i].Conditions
		if c.Serving == nil {
			c.Serving = ptr.To(ptr.Deref(c.Ready, true))
		}
		c.Ready, c.Terminating = ptr.To(false), ptr.To(true)
	}
	return seen
}

func key(o metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// OnEndpointSliceAdd implements upstream's Provider, as do the others below.
func (e *ending) OnEndpointSliceAdd(s *discoveryv1.EndpointSlice) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.slices[key(s)] = s
	e.Provider.OnEndpointSliceAdd(e.seen(s))
}

// OnEndpointSliceUpdate is told of a slice's change.
func (e *ending) OnEndpointSliceUpdate(old, s *discoveryv1.EndpointSlice) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.slices[key(s)] = s
	e.prune()
	e.Provider.OnEndpointSliceUpdate(old, e.seen(s))
}

// OnEndpointSliceDelete is told of a slice's end.
func (e *ending) OnEndpointSliceDelete(s *discoveryv1.EndpointSlice) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.slices, key(s))
	e.prune()
	e.Provider.OnEndpointSliceDelete(s)
}

// OnServiceAdd is told of a Service.
func (e *ending) OnServiceAdd(s *corev1.Service) {
	e.takeService(s)
	e.Provider.OnServiceAdd(s)
}

// OnServiceUpdate is told of a Service's change.
func (e *ending) OnServiceUpdate(old, s *corev1.Service) {
	e.takeService(s)
	e.Provider.OnServiceUpdate(old, s)
}

// OnServiceDelete is told of a Service's end.
func (e *ending) OnServiceDelete(s *corev1.Service) {
	e.mu.Lock()
	delete(e.unready, key(s))
	e.mu.Unlock()
	e.Provider.OnServiceDelete(s)
}

func (e *ending) takeService(s *corev1.Service) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.Spec.PublishNotReadyAddresses {
		e.unready[key(s)] = true
	} else {
		delete(e.unready, key(s))
	}
}
