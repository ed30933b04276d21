package kubelet

import (
	"errors"
	"reflect"
	"sync"
	_ "unsafe" // for go:linkname

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/component-base/metrics"
	_ "k8s.io/component-base/metrics/legacyregistry" // owns the variable below
)

// Upstream takes it for granted that a process has one kubelet: each kubelet
// registers collectors of its own state (volume statistics, log sizes) in the
// process-wide registry, and the second one panics with "duplicate metrics
// collector registration attempted". There is no seam for it, so the registry
// itself is replaced by one that keeps the first collector of each type. The
// price: those few metrics tell of the first node only.

//go:linkname defaultRegistry k8s.io/component-base/metrics/legacyregistry.defaultRegistry
var defaultRegistry metrics.KubeRegistry

// init runs after legacyregistry's, whose variable it changes, and before any
// goroutine could read it.
func init() {
	defaultRegistry = &firstOfType{KubeRegistry: defaultRegistry, seen: map[reflect.Type]bool{}}
	prometheus.DefaultRegisterer = tolerantRegisterer{prometheus.DefaultRegisterer}
}

// firstOfType registers one custom collector of each Go type.
type firstOfType struct {
	metrics.KubeRegistry
	mu   sync.Mutex
	seen map[reflect.Type]bool
}

// CustomMustRegister skips collectors whose type is registered already.
func (r *firstOfType) CustomMustRegister(cs ...metrics.StableCollector) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range cs {
		if t := reflect.TypeOf(c); !r.seen[t] {
			r.seen[t] = true
			r.KubeRegistry.CustomMustRegister(c)
		}
	}
}

// tolerantRegisterer is the same for prometheus' own default registry, into
// which legacyregistry puts every custom collector a second time.
type tolerantRegisterer struct{ prometheus.Registerer }

func (r tolerantRegisterer) MustRegister(cs ...prometheus.Collector) {
	for _, c := range cs {
		var already prometheus.AlreadyRegisteredError
		if err := r.Register(c); err != nil && !errors.As(err, &already) {
			panic(err)
		}
	}
}
