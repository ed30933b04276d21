package ownmetrics

import (
	"errors"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// apart is one metric, of certain labels, with a value for each kubelet that has written it, and one for the rest of
// the process. Who asks gets the value of whom its goroutine belongs to.
type apart struct {
	desc *prometheus.Desc
	make func() prometheus.Metric

	mu  sync.Mutex
	own map[*owner]prometheus.Metric // nil is the process
}

// errNotMine says that who asks has no such metric. A registry that is told to go on after errors leaves it out, as
// /metrics/probes is; in /metrics it is not asked for.
var errNotMine = errors.New("it is another kubelet's")

// value is that of whom this goroutine belongs to; it begins with nothing counted.
func (a *apart) value() prometheus.Metric {
	o := mine()
	a.mu.Lock()
	defer a.mu.Unlock()
	m, ok := a.own[o]
	if !ok {
		m = a.make()
		if o == nil || o.ended() == nil {
			a.own[o] = m
		}
	}
	return m
}

// now is the value of whom this goroutine belongs to, if there is one.
func (a *apart) now() (prometheus.Metric, bool) {
	o := mine()
	a.mu.Lock()
	defer a.mu.Unlock()
	m, ok := a.own[o]
	return served{m, a.desc}, ok
}

// served is one kubelet's value, as one of the metric that all have.
type served struct {
	prometheus.Metric
	desc *prometheus.Desc
}

func (s served) Desc() *prometheus.Desc { return s.desc }

func (a *apart) forget(o *owner) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.own, o)
}

func (a *apart) Desc() *prometheus.Desc { return a.desc }

func (a *apart) Write(out *dto.Metric) error {
	m, ok := a.now()
	if !ok {
		return errNotMine
	}
	return m.Write(out)
}

func (a *apart) Describe(ch chan<- *prometheus.Desc) { ch <- a.desc }

// counter is a prometheus.Counter.
type counter struct{ *apart }

func (c counter) Collect(ch chan<- prometheus.Metric) { ch <- c }
func (c counter) Inc()                                { c.value().(prometheus.Counter).Inc() }
func (c counter) Add(v float64)                       { c.value().(prometheus.Counter).Add(v) }

// gauge is a prometheus.Gauge.
type gauge struct{ *apart }

func (g gauge) Collect(ch chan<- prometheus.Metric) { ch <- g }
func (g gauge) Set(v float64)                       { g.value().(prometheus.Gauge).Set(v) }
func (g gauge) Inc()                                { g.value().(prometheus.Gauge).Inc() }
func (g gauge) Dec()                                { g.value().(prometheus.Gauge).Dec() }
func (g gauge) Add(v float64)                       { g.value().(prometheus.Gauge).Add(v) }
func (g gauge) Sub(v float64)                       { g.value().(prometheus.Gauge).Sub(v) }
func (g gauge) SetToCurrentTime()                   { g.value().(prometheus.Gauge).SetToCurrentTime() }

// histogram is a prometheus.Histogram.
type histogram struct{ *apart }

func (h histogram) Collect(ch chan<- prometheus.Metric) { ch <- h }
func (h histogram) Observe(v float64)                   { h.value().(prometheus.Histogram).Observe(v) }

var (
	_ prometheus.Counter   = counter{}
	_ prometheus.Gauge     = gauge{}
	_ prometheus.Histogram = histogram{}
)
