package apitrace

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestServingIsNotItsClientsWork: a request within the process is served by the goroutine that makes it. What is
// done there is the request's, until it has been answered.
func TestServingIsNotItsClientsWork(t *testing.T) {
	bus := trace.New()
	var request, within, started trace.ID
	f := &front{
		bus: bus, resolver: resolver,
		next: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			request, within = of(r.Context()).ID, trace.Marked()
			done := make(chan trace.ID)
			go func() { done <- trace.Marked() }()
			started = <-done
		}),
	}
	reconcile := bus.Reserve()
	defer trace.Mark(reconcile)()
	r := httptest.NewRequestWithContext(trace.With(t.Context(), reconcile), http.MethodPost, "/api/v1/namespaces/default/pods", nil)
	f.ServeHTTP(httptest.NewRecorder(), r)
	if request == 0 || within != request || started != request {
		t.Errorf("request %d: its handler works for %d, what that starts for %d", request, within, started)
	}
	if after := trace.Marked(); after != reconcile {
		t.Errorf("afterwards its client works for %d, not for %d", after, reconcile)
	}
}

// TestReachingIn: who asks for an exec by GET reads nothing, and is told of, whoever it is; what a node tells of it is
// found by the pod. Other requests by GET that nobody here typed are not told of.
func TestReachingIn(t *testing.T) {
	bus := trace.New()
	var traced bool
	f := &front{
		bus: bus, resolver: resolver,
		next: handlers{http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { traced = of(r.Context()) != nil })},
	}
	for path, want := range map[string]bool{
		"/api/v1/namespaces/default/pods/p/exec":        true,
		"/api/v1/namespaces/default/pods/p/attach":      true,
		"/api/v1/namespaces/default/pods/p/portforward": true,
		"/api/v1/namespaces/default/pods/p/log":         false,
		"/api/v1/namespaces/default/pods/exec":          false,
		"/api/v1/namespaces/exec":                       false,
		"/exec":                                         false,
	} {
		f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if traced != want {
			t.Errorf("GET %s: told of: %v", path, traced)
		}
		key, subresource := trace.ObjectKey("", "pods", "default", "p"), path[strings.LastIndex(path, "/")+1:]
		if known := bus.Entering(key, subresource) != 0; known != want {
			t.Errorf("GET %s: found by the pod: %v", path, known)
		}
	}
}

// TestANamespaceLiesInNone: upstream says that it lies in itself, in which case neither its key nor its name is known.
func TestANamespaceLiesInNone(t *testing.T) {
	for path, want := range map[string]string{
		"/api/v1/namespaces/x": "namespaces//x", "/api/v1/namespaces/x/finalize": "namespaces//x",
		"/api/v1/namespaces/x/pods/p": "pods/x/p", "/apis/example.com/v1/namespaces/x/namespaces/y": "namespaces.example.com/x/y",
	} {
		var o trace.Object
		f := &front{
			bus: trace.New(), resolver: resolver,
			next: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { o = of(r.Context()).Object() }),
		}
		f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodDelete, path, nil))
		if o.Key() != want {
			t.Errorf("%s is of %s, want %s", path, o.Key(), want)
		}
	}
}

// resolver tells what the requests of these tests are about.
var resolver = &apirequest.RequestInfoFactory{
	APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api"),
}
