package podinfo

import (
	"bufio"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are of one container: a registry of its own, as a process has.
type metrics struct {
	registry *prometheus.Registry
	took     *prometheus.HistogramVec
	requests *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Subsystem: "http", Name: "request_duration_seconds", Help: "Seconds spent serving HTTP requests.", Buckets: prometheus.DefBuckets,
		}, []string{"method", "path", "status"}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Subsystem: "http", Name: "requests_total", Help: "The total number of HTTP requests.",
		}, []string{"status"}),
	}
	m.registry.MustRegister(m.took, m.requests)
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// counted counts what next answers, by the pattern that mux has for it: labels come from patterns and from
// methods and codes that exist, never from what somebody sends.
func (m *metrics) counted(mux *http.ServeMux, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := mux.Handler(r)
		if pattern == "" { // the router of podinfo counts what it has no route for as little
			next.ServeHTTP(w, r)
			return
		}
		seen, begun := &watched{ResponseWriter: w, code: http.StatusOK}, time.Now()
		next.ServeHTTP(seen, r)
		code := strconv.Itoa(seen.code)
		m.took.WithLabelValues(methodOf(r), label(pattern), code).Observe(time.Since(begun).Seconds())
		m.requests.WithLabelValues(code).Inc()
	})
}

func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return "other"
}

var (
	methodPart = regexp.MustCompile(`^[A-Z]+ `)
	noLabel    = regexp.MustCompile(`[^a-zA-Z0-9]+`)
	// named are the routes that podinfo counts under a name, without what stands in their place.
	named = map[string]string{"/delay/{n}": "delay", "/status/{code}": "status", "/store/{hash}": "store", "/cache/{key}": "cache"}
)

func label(pattern string) string {
	path := methodPart.ReplaceAllString(pattern, "")
	if name, ok := named[path]; ok {
		return name
	}
	path = strings.ToLower(strings.Trim(noLabel.ReplaceAllString(strings.ReplaceAll(path, "{$}", ""), "_"), "_"))
	if path == "" {
		return "root"
	}
	return path
}

// watched remembers the code of an answer.
type watched struct {
	http.ResponseWriter
	code  int
	wrote bool
}

// WriteHeader implements http.ResponseWriter.
func (w *watched) WriteHeader(code int) {
	if !w.wrote {
		w.code, w.wrote = code, true
	}
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap is for http.ResponseController.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack implements http.Hijacker, for WebSockets.
func (w *watched) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.code, w.wrote = http.StatusSwitchingProtocols, true
	return http.NewResponseController(w.ResponseWriter).Hijack()
}
