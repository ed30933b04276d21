package ownmetrics

import (
	"errors"
	"slices"
	"strings"
	_ "unsafe" // for go:linkname

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"k8s.io/component-base/metrics"
	_ "k8s.io/component-base/metrics/legacyregistry" // owns the variable below
)

//go:linkname defaultRegistry k8s.io/component-base/metrics/legacyregistry.defaultRegistry
var defaultRegistry metrics.KubeRegistry

// process is upstream's registry of the process.
var process metrics.KubeRegistry

// init runs after legacyregistry's, whose variable it changes, and before any
// goroutine could read it.
func init() {
	process = defaultRegistry
	defaultRegistry = registry{process}
	prometheus.DefaultRegisterer = tolerantRegisterer{prometheus.DefaultRegisterer}
}

// registry is the process' registry and those for the collectors of each kubelet.
type registry struct{ metrics.KubeRegistry }

// CustomMustRegister registers collectors with the kubelet that does so, if it is one.
func (r registry) CustomMustRegister(cs ...metrics.StableCollector) {
	if o := mine(); o != nil {
		o.collectors.CustomMustRegister(cs...)
		return
	}
	r.KubeRegistry.CustomMustRegister(cs...)
}

// Gather gives the kubelet that serves them its metrics and those of the process as such, and anybody else all of the
// process'.
func (r registry) Gather() ([]*dto.MetricFamily, error) {
	o := mine()
	if o == nil {
		return r.KubeRegistry.Gather()
	}
	return prometheus.Gatherers{prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		all, err := r.KubeRegistry.Gather()
		return slices.DeleteFunc(all, func(f *dto.MetricFamily) bool { return !aKubelets(f.GetName()) }), err
	}), o.collectors}.Gather()
}

// aKubelets says whether a kubelet that is alone in its process would have the metric.
func aKubelets(name string) bool {
	switch name {
	case "registered_metrics_total", "hidden_metrics_total", "disabled_metrics_total":
		return true
	}
	return keptApart(name) || slices.ContainsFunc([]string{"go_", "process_", "kubernetes_"}, func(p string) bool { return strings.HasPrefix(name, p) })
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
