package apitrace

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Making is one making of the chain of servers: it knows when what of it was made. Upstream asks for the options
// of each resource's storage as it makes it, and registers each route's kind as it installs it. A nil *Making
// knows nothing.
type Making struct {
	bus   *trace.Bus
	began time.Time

	mu      sync.Mutex
	told    bool // what upstream asks from now on is for requests
	storage map[schema.GroupResource]time.Time
	routes  map[schema.GroupVersion]period
}

// period is from when to when something lasted.
type period struct{ from, to time.Time }

// NewMaking begins to make it; nil if bus is.
func NewMaking(bus *trace.Bus) *Making {
	if bus == nil {
		return nil
	}
	return &Making{bus: bus, began: time.Now(), storage: map[schema.GroupResource]time.Time{}, routes: map[schema.GroupVersion]period{}}
}

// Tap is called for each server's completed configuration, with what it has; nil stays nil.
func (m *Making) Tap(storage *generic.RESTOptionsGetter, routes *runtime.EquivalentResourceRegistry) {
	if m == nil {
		return
	}
	if *storage != nil {
		*storage = options{*storage, m}
	}
	if *routes != nil {
		*routes = registered{*routes, m}
	}
}

type options struct {
	generic.RESTOptionsGetter
	m *Making
}

// GetRESTOptions implements generic.RESTOptionsGetter.
func (o options) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	o.m.mu.Lock()
	if _, known := o.m.storage[resource]; !known && !o.m.told {
		o.m.storage[resource] = time.Now()
	}
	o.m.mu.Unlock()
	return o.RESTOptionsGetter.GetRESTOptions(resource, example)
}

type registered struct {
	runtime.EquivalentResourceRegistry
	m *Making
}

// RegisterKindFor implements runtime.EquivalentResourceRegistry.
func (r registered) RegisterKindFor(resource schema.GroupVersionResource, subresource string, kind schema.GroupVersionKind) {
	r.m.mu.Lock()
	if !r.m.told {
		now, version := time.Now(), resource.GroupVersion()
		s, known := r.m.routes[version]
		if !known {
			s.from = now
		}
		s.to = now
		r.m.routes[version] = s
	}
	r.m.mu.Unlock()
	r.EquivalentResourceRegistry.RegisterKindFor(resource, subresource, kind)
}

// storageOf is from when to when a group's storage was made; m.mu is held.
func (m *Making) storageOf(group string) (s period) {
	for resource, at := range m.storage {
		if resource.Group != group {
			continue
		}
		if s.from.IsZero() || at.Before(s.from) {
			s.from = at
		}
		if at.After(s.to) {
			s.to = at
		}
	}
	return s
}

// step is a step of that time, or of now if that is not known.
func (s period) step(kind *trace.Kind, details any) trace.Step {
	step := trace.Step{Kind: kind, Component: component, Details: details}
	if !s.from.IsZero() {
		step.At, step.Took = s.from, s.to.Sub(s.from)
	}
	return step
}
