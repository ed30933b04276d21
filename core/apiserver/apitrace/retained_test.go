package apitrace

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"weak"

	oteltrace "go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestTheRingHoldsNoRequest: steps are held for long after their request. What they hold is weighed, and the ring is
// bounded by that: a request, its audit context and the objects that were compared are not.
func TestTheRingHoldsNoRequest(t *testing.T) {
	bus := trace.New()
	v := bus.View(true) // so that copies are kept, and compared
	defer v.Close()
	var served weak.Pointer[request]
	f := &front{
		bus: bus, resolver: resolver,
		compares: rate.NewLimiter(1, 1),
		next: handlers{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			served = weak.Make(of(r.Context()))
			ctx, span := oteltrace.SpanFromContext(r.Context()).TracerProvider().Tracer("").Start(r.Context(), "Create")
			defer span.End()
			pod := &core.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default"}}
			a := admission.NewAttributesRecord(
				pod, nil, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "default", "p",
				schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", admission.Create, &metav1.CreateOptions{}, false, nil,
			)
			changes := mutator{func(p *core.Pod) { p.Spec.ServiceAccountName = "default" }}
			c := &chain{bus: bus, next: newPlugin(bus, "changes", changes, phases{mutates: true})}
			if err := c.Admit(ctx, a, interfaces{}); err != nil {
				t.Error(err)
			}
			w.WriteHeader(http.StatusCreated)
		})},
	}
	f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/namespaces/default/pods", nil))
	told := map[string]bool{}
	steps, _ := bus.All()
	for i := range steps {
		told[steps[i].Kind.Name] = true
	}
	for _, kind := range []string{"apiserver.handler", "admission.mutating", "apiserver.request"} {
		if !told[kind] {
			t.Errorf("%s is not told: %v", kind, told)
		}
	}
	runtime.GC()
	if served.Value() != nil {
		t.Error("a request that has been answered is held with its steps")
	}
	runtime.KeepAlive(steps)
}
