package apitrace

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/metrics"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"

	"github.com/tabernetes/tabernetes/core/trace"
)

// mutator is an admission plugin that changes a pod, or not.
type mutator struct{ change func(*core.Pod) }

func (mutator) Handles(admission.Operation) bool { return true }

func (m mutator) Admit(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	m.change(a.GetObject().(*core.Pod))
	return nil
}

// validator is one that only looks.
type validator struct{}

func (validator) Handles(admission.Operation) bool { return true }

func (validator) Validate(context.Context, admission.Attributes, admission.ObjectInterfaces) error {
	return nil
}

type interfaces struct{ admission.ObjectInterfaces }

func (interfaces) GetObjectConvertor() runtime.ObjectConvertor { return legacyscheme.Scheme }

// TestWhatEachPluginChanged: of plugins that run one after the other each has what itself has changed, and
// those that change nothing have nothing; secrets of one are in no other's.
func TestWhatEachPluginChanged(t *testing.T) {
	bus := trace.New()
	v := bus.View(true)
	defer v.Close()
	r := &request{Request: trace.Request{ID: bus.Reserve()}, bus: bus, compared: true}
	ctx := r.in(t.Context())
	pod := &core.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default"}, Spec: core.PodSpec{Containers: []core.Container{
		{Name: "c", Env: []core.EnvVar{{Name: "PASSWORD", Value: "canary"}}},
	}}}
	kind := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	a := admission.NewAttributesRecord(pod, nil, kind, "default", "p", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", admission.Create, &metav1.CreateOptions{}, false, nil)
	nothing := func(*core.Pod) {}
	for i, change := range []func(*core.Pod){
		nothing,
		func(p *core.Pod) { p.Spec.ServiceAccountName = "first" },
		nothing,
		func(p *core.Pod) { p.Spec.PriorityClassName = "second" },
		func(p *core.Pod) { p.Spec.Containers[0].Env[0].Value = "canary of the third" },
		nothing,
	} {
		p := newPlugin(bus, fmt.Sprint(i), mutator{change}, phases{mutates: true})
		if err := p.Admit(ctx, a, interfaces{}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"", ".spec.serviceAccountName first", "", ".spec.priorityClassName second", "nothing that may be said", ""} {
		changed := r.plugins[i].Changed
		if (changed == nil) != (want == "") {
			t.Errorf("plugin %d: %v, want %q", i, changed, want)
		}
		if changed == nil {
			continue
		}
		text, err := json.Marshal(changed)
		if err != nil || strings.Contains(string(text), "canary") {
			t.Errorf("plugin %d: %s, %v", i, text, err)
		}
		var list []Change
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		if want == "nothing that may be said" {
			if len(list) != 0 {
				t.Errorf("plugin %d: %s", i, text)
			}
			continue
		}
		path, value, _ := strings.Cut(want, " ")
		found := false
		for _, c := range list {
			found = found || c.Path == path && c.After == value
			if strings.HasPrefix(c.Path, ".spec.serviceAccountName") && i != 1 || strings.HasPrefix(c.Path, ".spec.priorityClassName") && i != 3 {
				t.Errorf("plugin %d has another one's change: %s", i, text)
			}
		}
		if !found {
			t.Errorf("plugin %d: %s, want %s", i, text, want)
		}
	}
	if pod.Spec.Containers[0].Env[0].Value != "canary of the third" {
		t.Error("the object itself is cut")
	}
}

// TestWhoHasAPartInAPhase: a plugin is told of in the phases that it has itself, though upstream's decorator around
// it has both.
func TestWhoHasAPartInAPhase(t *testing.T) {
	bus := trace.New()
	r := &request{Request: trace.Request{ID: bus.Reserve()}, bus: bus}
	ctx := r.in(t.Context())
	a := admission.NewAttributesRecord(&core.Pod{}, nil, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "", "p", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", admission.Create, nil, false, nil)
	decorators := Plugins(bus, admission.Decorators{admission.DecoratorFunc(metrics.WithControllerMetrics)})
	changes, looks := decorators.Decorate(mutator{func(*core.Pod) {}}, "changes"), decorators.Decorate(validator{}, "looks")
	for phase, want := range map[string]string{mutating: "changes", validating: "looks"} {
		r.plugins = nil
		for _, p := range []admission.Interface{changes, looks} {
			var err error
			if phase == mutating {
				err = p.(admission.MutationInterface).Admit(ctx, a, interfaces{})
			} else {
				err = p.(admission.ValidationInterface).Validate(ctx, a, interfaces{})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(r.plugins) != 1 || r.plugins[0].Name != want {
			t.Errorf("%s: %v, want %s alone", phase, r.plugins, want)
		}
	}
}

// BenchmarkUnchanged is what a plugin that changes nothing costs while somebody looks.
func BenchmarkUnchanged(b *testing.B) {
	bus := trace.New()
	defer bus.View(true).Close()
	r := &request{Request: trace.Request{ID: bus.Reserve()}, bus: bus, compared: true}
	ctx := r.in(b.Context())
	pod := &core.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Labels: map[string]string{"a": "b"}}, Spec: core.PodSpec{
		Containers: []core.Container{{Name: "c", Image: "nginx", Env: []core.EnvVar{{Name: "A", Value: "b"}}}},
	}}
	a := admission.NewAttributesRecord(pod, nil, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "default", "p", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", admission.Create, nil, false, nil)
	p := newPlugin(bus, "", mutator{func(*core.Pod) {}}, phases{mutates: true})
	for b.Loop() {
		if err := p.Admit(ctx, a, interfaces{}); err != nil {
			b.Fatal(err)
		}
		r.plugins = r.plugins[:0]
	}
}

// TestComparesAreBounded: what plugins change is looked at while somebody looks, of so many requests at once;
// of the others the step says that it was not.
func TestComparesAreBounded(t *testing.T) {
	bus := trace.New()
	limit := rate.NewLimiter(0, 2)
	pod := &core.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	admit := func(verb, subresource string) (changed bool, cut string) {
		t.Helper()
		r := &request{Request: trace.Request{ID: bus.Reserve()}, bus: bus}
		r.compare(limit, &apirequest.RequestInfo{Verb: verb, Subresource: subresource})
		a := admission.NewAttributesRecord(pod, nil, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "", "p", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", admission.Create, nil, false, nil)
		p := newPlugin(bus, "", mutator{func(p *core.Pod) { p.Spec.Priority = new(int32(bus.Reserve())) }}, phases{mutates: true})
		c := &chain{next: p, bus: bus}
		if err := c.Admit(r.in(t.Context()), a, interfaces{}); err != nil {
			t.Fatal(err)
		}
		steps, _ := bus.All()
		s := steps[len(steps)-1]
		return s.Details.(*Admitted).Plugins[0].Changed != nil, s.Cut
	}
	if changed, cut := admit("create", ""); changed || cut != "" {
		t.Error("compared, or spared, with nobody looking")
	}
	defer bus.View(true).Close()
	for i, want := range []bool{true, true, false} {
		if changed, cut := admit("create", ""); changed != want || (cut == "") != want {
			t.Errorf("request %d: changed %v, %q", i, changed, cut)
		}
	}
}

// TestEachPluginHasItsTime: a plugin has the time since the one before it, and not that since the phase began.
func TestEachPluginHasItsTime(t *testing.T) {
	r := &request{began: time.Now().Add(-time.Hour)}
	hour := float32(time.Hour.Milliseconds())
	if first, second := r.took(), r.took(); first < hour || second >= hour {
		t.Errorf("an hour after the phase began the first took %v ms, and the next one %v ms", first, second)
	}
}

// TestAPluginHandlesWhatItDid: what it handles is asked once, and is the same.
func TestAPluginHandlesWhatItDid(t *testing.T) {
	inner := admission.NewHandler(admission.Create, admission.Connect)
	p := newPlugin(trace.New(), "p", inner, phases{})
	for _, op := range []admission.Operation{admission.Create, admission.Update, admission.Delete, admission.Connect, "OTHER"} {
		if p.Handles(op) != inner.Handles(op) {
			t.Errorf("%s: handled %v", op, p.Handles(op))
		}
	}
}
