package clienttrace

import (
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/tabernetes/tabernetes/core/trace"
)

var informed = trace.Declare(trace.Controllers, "controllers.informed", trace.Place{
	Package: "k8s.io/client-go/tools/cache", Func: "sharedProcessor.distribute", Text: "for listener, isSyncing := range p.listeners {",
})

// Informed are the details of controllers.informed: an informer's cache has the object, and hands the
// event to its listeners.
type Informed struct {
	Event     string `json:"event"`
	Type      string `json:"type"`
	Listeners int    `json:"listeners"`
	// Lag is how long after the write this is, in milliseconds.
	Lag float64 `json:"lag"`
}

// distributed tells that an informer hands an event of a traced write on.
func distributed(event string, object any, listeners int) {
	t := installed.Load()
	if t == nil {
		return
	}
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	known, ok := object.(runtime.Object)
	if !ok {
		return
	}
	cause, ago := t.bus.Made(revision(object))
	if cause == 0 {
		return
	}
	o := trace.Object{}
	if m, err := meta.Accessor(object); err == nil {
		o = trace.Object{Namespace: m.GetNamespace(), Name: m.GetName(), UID: string(m.GetUID()), ResourceVersion: m.GetResourceVersion()}
	}
	typeName := strings.TrimPrefix(fmt.Sprintf("%T", object), "*")
	id := t.bus.Add(trace.Step{
		Kind: informed, Component: component(), Cause: cause, Object: o,
		Details: &Informed{Event: event, Type: typeName, Listeners: listeners, Lag: float64(ago.Microseconds()) / 1000},
	})
	t.events.put(known, id)
}

// delivering marks what a handler does with an event as caused by it.
func delivering(object any) (delivered func()) {
	if t := installed.Load(); t != nil {
		if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = gone.Obj
		}
		if known, ok := object.(runtime.Object); ok {
			return trace.Mark(t.events.get(known))
		}
	}
	return func() {}
}

// recent remembers of the last objects that were handed on by which step: handlers get the same
// pointer soon after.
type recent struct {
	mu    sync.Mutex
	ids   map[runtime.Object]trace.ID
	order [256]runtime.Object
	next  int
}

func (r *recent) put(object runtime.Object, id trace.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ids == nil {
		r.ids = map[runtime.Object]trace.ID{}
	}
	if old := r.order[r.next]; old != nil {
		delete(r.ids, old)
	}
	r.order[r.next] = object
	r.next = (r.next + 1) % len(r.order)
	r.ids[object] = id
}

func (r *recent) get(object runtime.Object) trace.ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ids[object]
}
