package apitrace

import (
	"net/http"
	"net/http/httptest"
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
		bus: bus, resolver: &apirequest.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")},
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
