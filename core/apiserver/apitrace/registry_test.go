package apitrace

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic/registry"

	"github.com/tabernetes/tabernetes/core/trace"
)

type hooked struct{}

func (*hooked) begin(context.Context, runtime.Object, *metav1.CreateOptions) (registry.FinishFunc, error) {
	return func(context.Context, bool) {}, nil
}

func decorate(runtime.Object) {}

var moments = []string{"BeginCreate", "BeforeCreate", "createValidation", "KeyFunc", "Storage.Create", "AfterCreate", "Decorator"}

// TestRegistrysHooksAreNamed: those that are there by the names of their functions, those that are not as not
// there, and nothing of a create that failed or that is not traced.
func TestRegistrysHooksAreNamed(t *testing.T) {
	bus := trace.New()
	r := &request{Request: trace.Request{ID: bus.Reserve()}, bus: bus}
	ctx := r.in(t.Context())
	e := &registry.Store{BeginCreate: (&hooked{}).begin, Decorator: decorate}
	if creating(t.Context(), e) != nil {
		t.Error("a request that is not traced is told of")
	}
	creating(ctx, e)("BeginCreate", "") // and then it fails
	if steps, _ := bus.All(); len(steps) != 0 {
		t.Errorf("a create that failed is told as one that did not: %v", steps)
	}
	moment := creating(ctx, e)
	for _, name := range moments {
		key := ""
		if name == "KeyFunc" {
			key = "/services/specs/default/nginx"
		}
		moment(name, key)
	}
	steps, _ := bus.All()
	if len(steps) != 1 || steps[0].Cause != r.ID {
		t.Fatalf("%+v", steps)
	}
	text := string(steps[0].JSON(true))
	for _, want := range []string{
		`"key":"/services/specs/default/nginx"`, `{"point":"BeginCreate","func":"(*hooked).begin of github.com/`,
		`{"point":"AfterCreate"}`, `{"point":"Decorator","func":"decorate of `,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if brief := string(steps[0].BriefJSON()); !strings.Contains(brief, `"hooks":["BeginCreate","Decorator"]`) {
		t.Error(brief)
	}
}

// TestAKeyThatIsTaken: the get that follows a create which found its key taken is told, and no hook after it.
func TestAKeyThatIsTaken(t *testing.T) {
	bus := trace.New()
	r := &request{Request: trace.Request{ID: bus.Reserve()}, bus: bus}
	moment := creating(r.in(t.Context()), &registry.Store{})
	for _, name := range []string{"BeginCreate", "BeforeCreate", "createValidation"} {
		moment(name, "")
	}
	moment("KeyFunc", "/namespaces/default")
	moment("Storage.Get", "")
	steps, _ := bus.All()
	if len(steps) != 1 || steps[0].Kind != exists || !strings.Contains(string(steps[0].JSON(true)), `{"point":"Storage.Get"`) {
		t.Errorf("%+v", steps)
	}
}
