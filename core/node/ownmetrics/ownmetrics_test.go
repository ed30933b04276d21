package ownmetrics_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	clientmetrics "k8s.io/client-go/tools/metrics"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	_ "k8s.io/component-base/metrics/prometheus/restclient" // registers when it is initialized

	"github.com/tabernetes/tabernetes/core/goroutine"
	"github.com/tabernetes/tabernetes/core/node/ownmetrics"
)

// served is what /metrics has for whom the goroutine that asks belongs to.
func served(t *testing.T) string {
	t.Helper()
	answer := make(chan string)
	go func() {
		w := httptest.NewRecorder()
		legacyregistry.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		answer <- w.Body.String()
	}()
	return <-answer
}

// has says whether what is served has the line.
func has(served, line string) bool { return strings.Contains("\n"+served, "\n"+line+"\n") }

type collector struct {
	metrics.BaseStableCollector
	value float64
}

var desc = metrics.NewDesc("kubelet_test_of_registration", "help", nil, nil, metrics.ALPHA, "")

func (*collector) DescribeWithStability(ch chan<- *metrics.Desc) { ch <- desc }
func (c *collector) CollectWithStability(ch chan<- metrics.Metric) {
	ch <- metrics.NewLazyConstMetric(desc, metrics.GaugeValue, c.value)
}

// Without this package the second registration panics, as that of a second kubelet does. Each serves
// its own, whichever goroutine of it is asked, and the process serves neither.
func TestKubeletsRegisterCollectorsOfTheirOwn(t *testing.T) {
	for of, value := range map[string]float64{"a": 1, "b": 2} {
		ownmetrics.Begin(t.Context(), of, nil, func(context.Context) {
			legacyregistry.CustomMustRegister(&collector{value: value})
			if got, want := served(t), fmt.Sprintf("kubelet_test_of_registration %g", value); !has(got, want) || !strings.Contains(got, "\ngo_goroutines ") {
				t.Errorf("kubelet %s does not serve %q and the process' metrics", of, want)
			}
		})
	}
	if strings.Contains(served(t), "kubelet_test_of_registration") {
		t.Error("the process serves what is a kubelet's")
	}
}

// Of each kind that upstream's kubelet has each kubelet has its own values, also below a further mark, and so has the
// process.
func TestEachCountsForItself(t *testing.T) {
	var (
		counts     = metrics.NewCounterVec(&metrics.CounterOpts{Name: "kubelet_test_counts", StabilityLevel: metrics.ALPHA, ConstLabels: map[string]string{"always": "yes"}}, []string{"what"})
		levels     = metrics.NewGaugeVec(&metrics.GaugeOpts{Name: "kubelet_test_levels"}, []string{"what", "where"})
		times      = metrics.NewHistogramVec(&metrics.HistogramOpts{Name: "kubelet_test_times", Buckets: []float64{1, 5}}, []string{"what"})
		count      = metrics.NewCounter(&metrics.CounterOpts{Name: "kubelet_test_count"})
		level      = metrics.NewGauge(&metrics.GaugeOpts{Name: "kubelet_test_level"})
		time       = metrics.NewHistogram(&metrics.HistogramOpts{Name: "kubelet_test_time", Buckets: []float64{1, 5}})
		deprecated = metrics.NewCounter(&metrics.CounterOpts{Name: "kubelet_test_hidden", DeprecatedVersion: "0.0.0"})
		elsewhere  = metrics.NewCounter(&metrics.CounterOpts{Name: "apiserver_test_count"})
	)
	all := []metrics.Registerable{counts, levels, times, count, level, time, elsewhere}
	legacyregistry.MustRegister(append(all, deprecated)...)
	t.Cleanup(func() {
		for _, c := range all {
			legacyregistry.Registerer().Unregister(c)
		}
	})
	elsewhere.Inc()
	write := func(by float64) {
		deprecated.Inc()
		counts.WithLabelValues("a").Add(by)
		counts.With(map[string]string{"what": fmt.Sprint("only by ", by)}).Inc()
		levels.WithLabelValues("a", "b").Set(by)
		times.WithLabelValues("a").Observe(by)
		count.Add(by)
		level.Set(by)
		time.Observe(by)
	}
	mine := func(by float64) (lines, without []string) {
		lines = []string{
			fmt.Sprintf(`kubelet_test_counts{always="yes",what="a"} %g`, by),
			fmt.Sprintf(`kubelet_test_counts{always="yes",what="only by %g"} 1`, by),
			fmt.Sprintf(`kubelet_test_levels{what="a",where="b"} %g`, by),
			`kubelet_test_times_count{what="a"} 1`, fmt.Sprintf(`kubelet_test_times_sum{what="a"} %g`, by),
			fmt.Sprintf(`kubelet_test_count %g`, by), fmt.Sprintf(`kubelet_test_level %g`, by),
			`kubelet_test_time_count 1`, fmt.Sprintf(`kubelet_test_time_sum %g`, by),
		}
		for _, other := range []float64{2, 3, 4} {
			if other != by {
				without = append(without, fmt.Sprintf("only by %g", other))
			}
		}
		return lines, without
	}
	check := func(who, got string, by float64) {
		t.Helper()
		lines, without := mine(by)
		for _, line := range lines {
			if !has(got, line) {
				t.Errorf("%s does not serve %s", who, line)
			}
		}
		for _, text := range append(without, "kubelet_test_hidden") {
			if strings.Contains(got, text) {
				t.Errorf("%s serves %q", who, text)
			}
		}
	}
	var wait sync.WaitGroup
	ctx, end := context.WithCancel(t.Context())
	wait.Add(2)
	began, of := make(chan struct{}), map[string]chan string{"a": make(chan string), "b": make(chan string)}
	for name, by := range map[string]float64{"a": 2, "b": 3} {
		ownmetrics.Begin(ctx, name, name, func(context.Context) {
			if got := ownmetrics.Mine(); got != name {
				t.Errorf("the value is %v", got)
			}
			if got := served(t); !has(got, "kubelet_test_count 0") || strings.Contains(got, "kubelet_test_counts{") {
				t.Errorf("before it has counted anything %s serves other than a kubelet that is alone", name)
			}
			go func() {
				func() {
					defer goroutine.Mark("further", "mark")()
					write(by)
				}()
				wait.Done()
				<-began
				of[name] <- served(t)
				<-ctx.Done()
				write(by)
				for strings.Contains(served(t), "kubelet_test_counts{") { // until it is forgotten
					runtime.Gosched()
				}
				write(by)
				of[name] <- served(t)
			}()
		})
	}
	if strings.Contains(served(t), "kubelet_test_count ") {
		t.Error("the process serves what it has not counted")
	}
	write(4)
	wait.Wait()
	close(began)
	check("a", <-of["a"], 2)
	check("b", <-of["b"], 3)
	got := served(t)
	check("the process", got, 4)
	if !has(got, "apiserver_test_count 1") {
		t.Error("the process does not serve what is nobody else's")
	}
	if ownmetrics.Mine() != nil {
		t.Error("who is no kubelet has a kubelet's value")
	}
	end()
	for name, served := range of {
		if got := <-served; strings.Contains(got, "kubelet_test_counts{") || strings.Contains(got, "apiserver_test_count") {
			t.Errorf("%s, which has ended, serves what it counted, or the API server's", name)
		}
	}
}

// What upstream registers when a program begins is apart as well.
func TestUpstreamsAreApart(t *testing.T) {
	host := rand.Text()
	request := func() { clientmetrics.RequestResult.Increment(t.Context(), "200", http.MethodGet, host) }
	line := `rest_client_requests_total{code="200",host="` + host + `",method="GET"} `
	request()
	ownmetrics.Begin(t.Context(), "a", nil, func(context.Context) {
		request()
		request()
		if !has(served(t), line+"2") {
			t.Error("a kubelet does not serve its own two requests")
		}
	})
	if !has(served(t), line+"1") {
		t.Error("the process does not serve its own request")
	}
}
