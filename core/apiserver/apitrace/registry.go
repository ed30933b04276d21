package apitrace

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"time"

	"k8s.io/apiserver/pkg/registry/generic/registry"

	"github.com/tabernetes/tabernetes/core/trace"
)

const registries = "k8s.io/apiserver/pkg/registry/generic/registry"

var (
	stored = trace.Declare(trace.Etcd, "registry.stored", trace.Place{
		Package: registries, Func: "Store.create", Text: "e.AfterCreate(out, options)",
	})
	exists = trace.Declare(trace.Etcd, "registry.exists", trace.Place{
		Package: registries, Func: "Store.create", Text: "if errGet := e.Storage.Get(ctx, key, storage.GetOptions{}, out); errGet != nil {",
	})
)

// Stored are the details of registry.stored, the way of a new object through its resource's registry, and of
// registry.exists, that of one whose key is taken: only then is there a get after the create.
type Stored struct {
	// Key is the registry's, to which the storage adds its prefix.
	Key   string `json:"key"`
	Hooks []Hook `json:"hooks"`
}

// Hook is a point at which a registry may do something of its own, in the order in which they come.
type Hook struct {
	// Point is upstream's name of it.
	Point string `json:"point"`
	// Func is the function that is set there, or the type that has it; empty if this resource has none.
	Func string `json:"func,omitempty"`
	// Took is in milliseconds.
	Took float64 `json:"took,omitempty"`
}

// Weight implements trace.Weigher.
func (s *Stored) Weight() int { return 64 + len(s.Key) + 96*len(s.Hooks) }

// Brief implements trace.Briefer.
func (s *Stored) Brief() any {
	brief := struct {
		Key   string   `json:"key"`
		Hooks []string `json:"hooks"`
	}{Key: s.Key, Hooks: []string{}}
	for _, h := range s.Hooks {
		if h.Func != "" && (h.Point == "BeginCreate" || h.Point == "AfterCreate" || h.Point == "Decorator") {
			brief.Hooks = append(brief.Hooks, h.Point)
		}
	}
	return &brief
}

// creating is called by a registry that begins to create an object, and what it returns at each moment of
// that, by whoever created it. What fails on the way is told by others.
func creating(ctx context.Context, e *registry.Store) (moment func(name, key string)) {
	t := of(ctx)
	if t == nil || t.light {
		return nil
	}
	began := time.Now()
	last := began
	d := &Stored{Hooks: make([]Hook, 0, 7)}
	return func(name, key string) {
		now := time.Now()
		h := Hook{Point: name, Took: float64(now.Sub(last).Microseconds()) / 1000}
		last = now
		switch name {
		case "BeginCreate":
			h.Func = functionName(e.BeginCreate)
		case "BeforeCreate":
			h.Func = fmt.Sprintf("%T", e.CreateStrategy)
		case "createValidation":
			h.Func = "validating admission"
		case "KeyFunc":
			h.Func = functionName(e.KeyFunc)
			d.Key = trace.Text(key)
		case "Storage.Create", "Storage.Get":
			h.Func = fmt.Sprintf("%T", e.Storage.Storage)
		case "AfterCreate":
			h.Func = functionName(e.AfterCreate)
		case "Decorator":
			h.Func = functionName(e.Decorator)
		}
		if h.Func == "" {
			h.Took = 0
		}
		d.Hooks = append(d.Hooks, h)
		kind := stored
		if name == "Storage.Get" {
			kind = exists
		}
		if name == "Decorator" || name == "Storage.Get" {
			t.bus.Add(trace.Step{At: began, Took: now.Sub(began), Kind: kind, Component: component, Cause: t.ID, Object: t.Object(), Details: d})
		}
	}
}

// functionName is a function's name as people write it: "(*REST).beginCreate of
// pkg/registry/core/service/storage"; empty for none.
func functionName(f any) string {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.IsNil() {
		return ""
	}
	name := "a function"
	if found := runtime.FuncForPC(v.Pointer()); found != nil {
		name = strings.TrimSuffix(found.Name(), "-fm")
	}
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 {
		return name
	}
	pkg := strings.TrimPrefix(name[:slash+dot], "k8s.io/")
	return name[slash+dot+1:] + " of " + strings.TrimPrefix(pkg, "kubernetes/")
}
