package kubelet

import (
	"context"
	"errors"
	"runtime/pprof"
	"sync"
	"unsafe" // for go:linkname, too

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"k8s.io/component-base/metrics"
	_ "k8s.io/component-base/metrics/legacyregistry" // owns the variable below

	"github.com/tabernetes/tabernetes/core/node/logind"
)

// Upstream takes it for granted that a process has one kubelet: each registers
// collectors of its own state (volume statistics, log sizes) in the process-wide
// registry, the second one panics with "duplicate metrics collector registration
// attempted", and /metrics of each serves that registry. There is no seam for it,
// so the registry itself is replaced by one that keeps such collectors apart, by
// the goroutines that a kubelet has begun, and shows each kubelet its own.
//
// What upstream counts in variables of a package (pulls, syncs, operations of the
// runtime) stays the sum of all kubelets of the process.

//go:linkname defaultRegistry k8s.io/component-base/metrics/legacyregistry.defaultRegistry
var defaultRegistry metrics.KubeRegistry

// goroutineLabels is runtime/pprof's: what SetGoroutineLabels gave this goroutine,
// or the one that began it. Only the pointer is looked at, never what it leads to.
//
//go:linkname goroutineLabels runtime/pprof.runtime_getProfLabel
func goroutineLabels() unsafe.Pointer

var kubelets = &registries{own: map[unsafe.Pointer]*inTab{}}

// init runs after legacyregistry's, whose variable it changes, and before any
// goroutine could read it.
func init() {
	kubelets.KubeRegistry = defaultRegistry
	defaultRegistry = kubelets
	prometheus.DefaultRegisterer = tolerantRegisterer{prometheus.DefaultRegisterer}
}

// registries are the process' registry and one for the collectors of each kubelet.
type registries struct {
	metrics.KubeRegistry

	mu  sync.Mutex
	own map[unsafe.Pointer]*inTab // by the labels of the kubelet's goroutines
}

// inTab is what one kubelet has for itself of what upstream takes to be the process' or the machine's.
type inTab struct {
	metrics.KubeRegistry
	logind *logind.Manager
}

// do runs start, whose goroutines are those of a kubelet: what they register is its
// own, and l is its machine's logind. Profiles show them by the node's name, too.
func (r *registries) do(ctx context.Context, node string, l *logind.Manager, start func(context.Context)) {
	pprof.Do(ctx, pprof.Labels("node", node), func(ctx context.Context) {
		r.mu.Lock()
		r.own[goroutineLabels()] = &inTab{metrics.NewKubeRegistry(), l}
		r.mu.Unlock()
		start(ctx)
	})
}

// mine is what the kubelet has that this goroutine belongs to, or nil.
func (r *registries) mine() *inTab {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.own[goroutineLabels()]
}

// CustomMustRegister registers collectors with the kubelet that does so, if it is one.
func (r *registries) CustomMustRegister(cs ...metrics.StableCollector) {
	if own := r.mine(); own != nil {
		own.CustomMustRegister(cs...)
		return
	}
	r.KubeRegistry.CustomMustRegister(cs...)
}

// Gather gives the process' metrics and those of the kubelet that serves them, if it is one.
func (r *registries) Gather() ([]*dto.MetricFamily, error) {
	if own := r.mine(); own != nil {
		return prometheus.Gatherers{r.KubeRegistry, own}.Gather()
	}
	return r.KubeRegistry.Gather()
}

// tolerantRegisterer is prometheus' own default registry, into which legacyregistry
// puts every custom collector a second time, and which nobody serves: it keeps the
// first of each.
type tolerantRegisterer struct{ prometheus.Registerer }

func (r tolerantRegisterer) MustRegister(cs ...prometheus.Collector) {
	for _, c := range cs {
		var already prometheus.AlreadyRegisteredError
		if err := r.Register(c); err != nil && !errors.As(err, &already) {
			panic(err)
		}
	}
}
