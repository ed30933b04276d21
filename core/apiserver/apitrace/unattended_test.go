package apitrace

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"golang.org/x/time/rate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/component-base/tracing"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestUnattended: while nobody is there a request is told without its parts, and says so; what refuses it is told.
// Whoever has typed a command, or reads the trace, has all.
func TestUnattended(t *testing.T) {
	bus := trace.New()
	var refuse error
	admit := &chain{next: newPlugin(bus, "p", refuser{&refuse}, phases{mutates: true}), bus: bus}
	attributes := admission.NewAttributesRecord(&core.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}, nil,
		schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "default", "p", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", admission.Create, nil, false, nil)
	served := &front{
		bus: bus, compares: rate.NewLimiter(0, 0), typed: rate.NewLimiter(0, 0),
		resolver: resolver,
		next: handlers{http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			ctx, span := tracing.Start(r.Context(), "Create")
			defer span.End(0)
			_ = admit.Admit(ctx, attributes, interfaces{})
		})},
	}
	// told has the kinds of steps that a request comes to, and whether each says that parts are left out.
	told := func(auditID string) map[string]bool {
		_, before := last(bus)
		r := httptest.NewRequest(http.MethodPost, "/api/v1/namespaces/default/pods", http.NoBody)
		r.Header.Set("Audit-ID", auditID)
		served.ServeHTTP(httptest.NewRecorder(), r)
		steps, _ := last(bus)
		kinds := map[string]bool{}
		for _, s := range steps[before:] {
			kinds[s.Kind.Name] = s.Cut == unattended
		}
		return kinds
	}
	without := func(when string, kinds map[string]bool, besides ...string) {
		t.Helper()
		want := map[string]bool{"apiserver.request": true}
		for _, kind := range besides {
			want[kind] = false
		}
		if !maps.Equal(kinds, want) {
			t.Errorf("%s: %v, want %v", when, kinds, want)
		}
	}
	whole := func(when string, kinds map[string]bool) {
		t.Helper()
		if want := map[string]bool{"apiserver.request": false, "apiserver.handler": false, "admission.mutating": false}; !maps.Equal(kinds, want) {
			t.Errorf("%s: %v, want %v", when, kinds, want)
		}
	}
	without("nobody is there", told(""))
	refuse = errors.New("no")
	without("nobody is there, and it is refused", told(""), "admission.refused")
	refuse = nil

	v := bus.View(true)
	whole("somebody reads", told(""))
	v.Close()
	without("nobody reads any more", told(""))
	whole("a command's request", told(bus.Audit(bus.Reserve())))
	whole("somebody has typed a command", told(""))
}

// last is what the bus has, and how many.
func last(bus *trace.Bus) ([]trace.Step, int) {
	steps, _ := bus.All()
	return steps, len(steps)
}

// refuser refuses while its error is set.
type refuser struct{ err *error }

func (refuser) Handles(admission.Operation) bool { return true }

func (r refuser) Admit(context.Context, admission.Attributes, admission.ObjectInterfaces) error {
	return *r.err
}

// TestWhatComesOfACommandIsComparedFirst: requests that nobody here has caused use up nothing of what is for those that
// come since somebody has typed a command.
func TestWhatComesOfACommandIsComparedFirst(t *testing.T) {
	bus := trace.New()
	defer bus.View(true).Close()
	var compared bool
	f := &front{
		bus: bus, compares: rate.NewLimiter(0, 1), typed: rate.NewLimiter(0, 1), since: rate.NewLimiter(0, 1),
		resolver: resolver,
		next:     http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { compared = of(r.Context()).compared }),
	}
	serve := func(cause trace.ID, auditID string) bool {
		r := httptest.NewRequestWithContext(trace.With(t.Context(), cause), http.MethodPost, "/api/v1/namespaces/default/pods", http.NoBody)
		r.Header.Set("Audit-ID", auditID)
		f.ServeHTTP(httptest.NewRecorder(), r)
		return compared
	}
	start := bus.Reserve()
	for i, want := range []bool{true, false} {
		if got := serve(start, ""); got != want {
			t.Errorf("request %d of the start: compared %v", i, got)
		}
	}
	command := bus.Reserve()
	if !serve(0, bus.Audit(command)) {
		t.Error("a command's request is not compared")
	}
	if serve(start, "") {
		t.Error("what was caused before the command is compared")
	}
	for i, want := range []bool{true, false} {
		if got := serve(bus.Reserve(), ""); got != want {
			t.Errorf("request %d after the command: compared %v", i, got)
		}
	}
}
