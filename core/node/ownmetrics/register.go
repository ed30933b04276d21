package ownmetrics

import (
	"maps"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

// prefixes begin the names of what is kept apart.
var prefixes = []string{"kubelet_", "storage_operation_", "volume_operation_", "csi_operations_", "rest_client_", "workqueue_"}

func keptApart(name string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// mustRegister stands for legacyregistry.MustRegister.
func mustRegister(cs ...metrics.Registerable) {
	for _, c := range cs {
		if keptApart(c.FQName()) {
			if collector, ok := Apart(c); ok {
				if collector != nil {
					process.RawMustRegister(collector)
				}
				continue
			}
		}
		process.MustRegister(c)
	}
}

// collectors are all metrics that are kept apart.
var collectors struct {
	sync.Mutex
	all []*collector
}

// forget drops what a kubelet has measured.
func forget(o *owner) {
	collectors.Lock()
	all := collectors.all
	collectors.Unlock()
	for _, c := range all {
		for _, m := range c.children() {
			m.(interface{ forget(*owner) }).forget(o)
		}
	}
}

// Apart makes a metric of upstream's one that is kept apart, and returns who collects it, which is nil for one that
// upstream hides. It has to be called before anybody writes to it. What is neither a counter, a gauge nor a histogram,
// nor a vector of them, it leaves as it is, and says so.
func Apart(c metrics.Registerable) (_ prometheus.Collector, ok bool) {
	// A registry makes the metric, with its stability in its help and by its version, or hides it.
	if err := metrics.NewKubeRegistry().Register(c); err != nil {
		return nil, false
	}
	if hidden, ok := c.(interface{ IsHidden() bool }); ok && hidden.IsHidden() {
		return nil, true
	}
	a := &collector{}
	switch c := c.(type) {
	case *metrics.CounterVec:
		a.vec = vector(c.CounterVec.MetricVec, counterOf(c.CounterOpts), func(a *apart) prometheus.Metric { return counter{a} })
		c.CounterVec = &prometheus.CounterVec{MetricVec: a.vec}
	case *metrics.GaugeVec:
		a.vec = vector(c.GaugeVec.MetricVec, gaugeOf(c.GaugeOpts), func(a *apart) prometheus.Metric { return gauge{a} })
		c.GaugeVec = &prometheus.GaugeVec{MetricVec: a.vec}
	case *metrics.HistogramVec:
		a.vec = vector(c.HistogramVec.MetricVec, histogramOf(c.HistogramOpts), func(a *apart) prometheus.Metric { return histogram{a} })
		c.HistogramVec = &prometheus.HistogramVec{MetricVec: a.vec}
	case *metrics.Counter:
		one := counter{single(c, counterOf(c.CounterOpts))}
		a.one, c.CounterMetric = one, one
	case *metrics.Gauge:
		one := gauge{single(c, gaugeOf(c.GaugeOpts))}
		a.one, c.GaugeMetric = one, one
	case *metrics.Histogram:
		one := histogram{single(c, histogramOf(c.HistogramOpts))}
		a.one, c.ObserverMetric = one, one
	default:
		return nil, false
	}
	collectors.Lock()
	defer collectors.Unlock()
	collectors.all = append(collectors.all, a)
	return a, true
}

// maker makes a metric of certain labels.
type maker func(labels prometheus.Labels) prometheus.Metric

func counterOf(o *metrics.CounterOpts) maker {
	return func(labels prometheus.Labels) prometheus.Metric {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: o.Namespace, Subsystem: o.Subsystem, Name: o.Name, Help: o.Help, ConstLabels: labels})
	}
}

func gaugeOf(o *metrics.GaugeOpts) maker {
	return func(labels prometheus.Labels) prometheus.Metric {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: o.Namespace, Subsystem: o.Subsystem, Name: o.Name, Help: o.Help, ConstLabels: labels})
	}
}

func histogramOf(o *metrics.HistogramOpts) maker {
	return func(labels prometheus.Labels) prometheus.Metric {
		return prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: o.Namespace, Subsystem: o.Subsystem, Name: o.Name, Help: o.Help, ConstLabels: labels, Buckets: o.Buckets,
		})
	}
}

// single is a metric without labels.
func single(of prometheus.Collector, make maker) *apart {
	labels := labelsOf(collect(of)[0])
	return &apart{desc: describe(of), make: func() prometheus.Metric { return make(labels) }, own: map[*owner]prometheus.Metric{}}
}

// vector is one whose metrics are kept apart; original is asked what labels they have.
func vector(original *prometheus.MetricVec, make maker, wrap func(*apart) prometheus.Metric) *prometheus.MetricVec {
	desc := describe(original)
	return prometheus.NewMetricVec(desc, func(values ...string) prometheus.Metric {
		m, err := original.GetMetricWithLabelValues(values...)
		if err != nil {
			panic(err) // the vector has checked them: they are as many
		}
		labels := labelsOf(m)
		original.DeleteLabelValues(values...)
		return wrap(&apart{
			desc: desc, make: func() prometheus.Metric { return make(maps.Clone(labels)) }, own: map[*owner]prometheus.Metric{},
		})
	})
}

func describe(c prometheus.Collector) *prometheus.Desc {
	ch := make(chan *prometheus.Desc, 1) // each of these collectors has one
	c.Describe(ch)
	return <-ch
}

// collect is what a collector has now.
func collect(c prometheus.Collector) (all []prometheus.Metric) {
	ch := make(chan prometheus.Metric)
	go func() {
		defer close(ch)
		c.Collect(ch)
	}()
	for m := range ch {
		all = append(all, m)
	}
	return all
}

// labelsOf are a metric's labels, constant ones among them.
func labelsOf(m prometheus.Metric) prometheus.Labels {
	var out dto.Metric
	_ = m.Write(&out) // of prometheus' own kinds, which cannot fail
	labels := prometheus.Labels{}
	for _, l := range out.Label {
		labels[l.GetName()] = l.GetValue()
	}
	return labels
}

// collector gives who asks its own values.
type collector struct {
	vec *prometheus.MetricVec
	one prometheus.Metric // if it is no vector
}

func (c *collector) children() []prometheus.Metric {
	if c.vec == nil {
		return []prometheus.Metric{c.one}
	}
	return collect(c.vec)
}

func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	if c.vec == nil {
		ch <- c.one.Desc()
		return
	}
	c.vec.Describe(ch)
}

// Collect gives a kubelet also what it has not written yet and has no labels, as it has it if it is alone.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	if c.vec == nil && mine() != nil {
		c.one.(interface{ value() prometheus.Metric }).value()
	}
	for _, m := range c.children() {
		if own, ok := m.(interface {
			now() (prometheus.Metric, bool)
		}).now(); ok {
			ch <- own
		}
	}
}

// Reset is for who deletes metrics by DELETE /metrics.
func (c *collector) Reset() {
	if c.vec != nil {
		c.vec.Reset()
	}
}

func init() { legacyregistry.MustRegister = mustRegister }
