package apitrace

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/component-base/tracing"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/tabernetes/tabernetes/core/trace"
)

// handledBy runs a handler as the one that a traced request was routed to, and gives the steps it told.
func handledBy(t *testing.T, body string, h func(ctx context.Context, tr *request, r *http.Request)) []trace.Step {
	t.Helper()
	return handledAs(t, "create", body, h)
}

// handledAs is the same for another verb.
func handledAs(t *testing.T, verb, body string, h func(ctx context.Context, tr *request, r *http.Request)) []trace.Step {
	t.Helper()
	bus := trace.New()
	tr := &request{Request: trace.Request{ID: bus.Reserve()}, bus: bus, compared: true, details: Served{Verb: verb}}
	r := httptest.NewRequestWithContext(tr.in(t.Context()), http.MethodPost, "/", strings.NewReader(body))
	handlers{http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { h(r.Context(), tr, r) })}.ServeHTTP(httptest.NewRecorder(), r)
	steps, _ := bus.All()
	return steps
}

// TestAHandlerTellsOfItsMoments: what upstream's handlers say by their spans, those of what they call among it;
// nothing of what an error quotes, and no more than is bounded.
func TestAHandlerTellsOfItsMoments(t *testing.T) {
	steps := handledBy(t, "", func(ctx context.Context, _ *request, _ *http.Request) {
		ctx, span := tracing.Start(ctx, "Create", attribute.String("resource", "pods"), attribute.String("url", "CANARY"))
		defer span.End(0)
		span.AddEvent("About to convert to expected version")
		span.AddEvent("Write failed", attribute.Int("len", 7), attribute.String("err", "CANARY"))
		inner, store := tracing.Start(ctx, "Create etcd3", attribute.String("key", "CANARY"))
		store.AddEvent("Encode succeeded", attribute.Int("len", 12))
		_, deeper := tracing.Start(inner, "deeper")
		deeper.AddEvent("said")
		deeper.End(0)
		store.End(0)
		for i := range 2 * maxMoments {
			span.AddEvent(fmt.Sprint(i))
		}
		_, other := tracing.Start(context.WithoutCancel(ctx), "List")
		other.End(0)
	})
	if len(steps) != 1 {
		t.Fatalf("%d steps: %v", len(steps), steps)
	}
	d := steps[0].Details.(*Handled)
	if d.Handler != "Create" || d.Resource != "pods" || len(d.Moments) != maxMoments {
		t.Errorf("%+v", d)
	}
	if m := d.Moments[1]; m.What != "Write failed" || m.Bytes != 7 || m.Of != "" {
		t.Errorf("%+v", m)
	}
	if m := d.Moments[2]; m.What != "Encode succeeded" || m.Bytes != 12 || m.Of != "Create etcd3" {
		t.Errorf("%+v", m)
	}
	if text := string(steps[0].JSON(true)); strings.Contains(text, "CANARY") {
		t.Error(text)
	}
}

// TestWhatWasSentIsCut: the object that came, with what was made of it; secrets of neither, and nothing of what is
// too long or no object.
func TestWhatWasSentIsCut(t *testing.T) {
	pod := &core.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", ManagedFields: []metav1.ManagedFieldsEntry{{
			Manager: "kubectl-create", Operation: metav1.ManagedFieldsOperationUpdate, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:a":{},"f:b":{"f:c":{}}}}`),
		}}},
		Spec: core.PodSpec{RestartPolicy: core.RestartPolicyAlways, Containers: []core.Container{
			{Name: "c", Command: []string{"CANARY"}, Env: []core.EnvVar{{Name: "P", Value: "CANARY"}}},
		}},
	}
	a := admission.NewAttributesRecord(pod, nil, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "", "p", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", admission.Create, nil, false, nil)
	const spec = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","command":["CANARY"],"env":[{"name":"P","value":"CANARY"}]}]}}`
	for body, sent := range map[string]bool{
		spec: true, `["CANARY"]`: false, "CANARY": false, "": false,
		`{"x":"` + strings.Repeat("CANARY", maxSent) + `"}`: false,
	} {
		steps := handledBy(t, body, func(_ context.Context, tr *request, r *http.Request) {
			if read, err := io.ReadAll(r.Body); err != nil || string(read) != body {
				t.Errorf("the handler read %d of %d bytes: %v", len(read), len(body), err)
			}
			tr.hasDecoded(a, interfaces{})
		})
		if len(steps) != 1 {
			t.Fatalf("%.40q: %d steps", body, len(steps))
		}
		text := string(steps[0].JSON(true))
		if strings.Contains(text, "CANARY") || strings.Contains(fmt.Sprintf("%+v", steps[0].Details), "CANARY") {
			t.Errorf("%.40q: %s", body, text)
		}
		d := steps[0].Details.(*Decoded)
		if (d.Sent != nil) != sent || d.Managers[0] != (Manager{"kubectl-create", "Update", 2}) {
			t.Errorf("%.40q: %+v", body, d)
		}
		if !sent {
			continue
		}
		var changes []Change
		out, err := d.Changed.MarshalJSON()
		if err != nil || json.Unmarshal(out, &changes) != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(out), `{"path":".spec.restartPolicy","after":"Always"}`) || strings.Contains(string(out), "command") {
			t.Errorf("%s", out)
		}
	}
}

// TestWhoseFieldsAreTold: of an object that others have set fields of it is told in brief what the request's own are, and
// nothing if it has none: another's were taken for its.
func TestWhoseFieldsAreTold(t *testing.T) {
	entry := func(manager, subresource, set string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Subresource: subresource, FieldsV1: metav1.NewFieldsV1(set)}
	}
	pod := &core.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", ManagedFields: []metav1.ManagedFieldsEntry{
		entry("kubectl-create", "", `{"f:a":{},"f:b":{}}`), entry("kubelet", "status", `{"f:c":{}}`), entry("kubectl-label", "", `{"f:d":{}}`),
	}}}
	for _, c := range []struct {
		options runtime.Object
		agent   string
		want    string
	}{
		{&metav1.UpdateOptions{FieldManager: "kubectl-label"}, "kubectl/v1", `{"managers":[{"name":"kubectl-label","operation":"Update","fields":1}]`},
		{&metav1.UpdateOptions{}, "kubectl-create/v1", `{"managers":[{"name":"kubectl-create","operation":"Update","fields":2}]`},
		{&metav1.UpdateOptions{}, "kubelet/v1", `{"bytes":`},
		{nil, "", `{"bytes":`},
	} {
		a := admission.NewAttributesRecord(pod, pod, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "", "p", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", admission.Update, c.options, false, nil)
		steps := handledBy(t, "{}", func(_ context.Context, tr *request, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != nil {
				t.Fatal(err)
			}
			tr.details.Agent = c.agent
			tr.hasDecoded(a, interfaces{})
		})
		if len(steps) != 1 {
			t.Fatalf("%d steps", len(steps))
		}
		if brief := string(steps[0].BriefJSON()); !strings.Contains(brief, c.want) || len(steps[0].Details.(*Decoded).Managers) != 3 {
			t.Errorf("%s of %s, want %s", brief, c.agent, c.want)
		}
	}
}

// TestASecretThatDoesNotSaySo: upstream takes what is sent to Secrets for one, whether it says its kind or not.
func TestASecretThatDoesNotSaySo(t *testing.T) {
	secret := &core.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Data: map[string][]byte{"key": []byte("CANARY")}}
	a := admission.NewAttributesRecord(secret, nil, schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, "", "s", schema.GroupVersionResource{Version: "v1", Resource: "secrets"}, "", admission.Create, nil, false, nil)
	for _, body := range []string{
		`{"metadata":{"name":"s"},"data":{"key":"CANARY"},"stringData":{"key":"CANARY"}}`,
		`{"kind":"Secret","kind":"","metadata":{"name":"s"},"stringData":{"key":"CANARY"}}`,
	} {
		steps := handledBy(t, body, func(_ context.Context, tr *request, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			tr.hasDecoded(a, interfaces{})
		})
		if len(steps) != 1 {
			t.Fatalf("%s: %d steps", body, len(steps))
		}
		if text := string(steps[0].JSON(true)); strings.Contains(text, "CANARY") || !strings.Contains(text, "stringData") {
			t.Errorf("%s: %s", body, text)
		}
	}
}

// TestWhatAChangeIs: a change of what is there, put or patched, has what came, what that made of the object, and
// how the object is different in the end; each by the line of upstream that did it, and without secrets.
func TestWhatAChangeIs(t *testing.T) {
	old := &core.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Labels: map[string]string{"tier": "back"}, Annotations: map[string]string{"a": "CANARY"}},
		Spec:       core.PodSpec{Containers: []core.Container{{Name: "c", Image: "nginx", Env: []core.EnvVar{{Name: "P", Value: "CANARY"}}}}},
	}
	pod := old.DeepCopy()
	pod.Labels["tier"], pod.Annotations["a"], pod.Spec.Containers[0].Image = "front", "CANARY 2", "nginx:1.28"
	attributes := func(old *core.Pod, op admission.Operation) admission.Attributes {
		var before runtime.Object
		if old != nil {
			before = old
		}
		return admission.NewAttributesRecord(pod, before, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "", "p", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", op, nil, false, nil)
	}
	const whole = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","annotations":{"a":"CANARY 2"}},"spec":{"containers":[{"name":"c","image":"nginx:1.28","env":[{"name":"P","value":"CANARY"}]}]}}`
	image := `{"path":".spec.containers[name=\"c\"].image","before":"nginx","after":"nginx:1.28"}`
	for name, c := range map[string]struct {
		verb, body string
		old        *core.Pod
		op         admission.Operation
		kinds      string
		sent       string
	}{
		"a merge patch":    {"patch", `{"metadata":{"labels":{"tier":"front"},"annotations":{"a":"CANARY 2"}}}`, old, admission.Update, "apiserver.decoded/patch registry.updated", `{"metadata":{"annotations":{"a":"(not kept)"},"labels":{"tier":"front"}}}`},
		"a JSON patch":     {"patch", `[{"op":"replace","path":"/metadata/labels/tier","value":"CANARY"}]`, old, admission.Update, "apiserver.decoded/patch registry.updated", `[{"op":"replace","path":"/metadata/labels/tier","value":"(not kept)"}]`},
		"an apply":         {"patch", "metadata:\n  labels: {tier: front}\n", old, admission.Update, "apiserver.decoded/patch registry.updated", `{"metadata":{"labels":{"tier":"front"}}}`},
		"an apply of new":  {"patch", whole, nil, admission.Create, "apiserver.decoded/patch that creates registry.created/update that creates", `"image":"nginx:1.28"`},
		"a put":            {"update", whole, old, admission.Update, "apiserver.decoded/update registry.updated", `"image":"nginx:1.28"`},
		"a put of new":     {"update", whole, nil, admission.Create, "apiserver.decoded/update registry.created/update that creates", `"image":"nginx:1.28"`},
		"a put, too long":  {"update", `{"x":"` + strings.Repeat("CANARY", maxSent) + `"}`, old, admission.Update, "apiserver.decoded/update registry.updated", ""},
		"what is no patch": {"patch", "CANARY: {", old, admission.Update, "apiserver.decoded/patch registry.updated", ""},
	} {
		t.Run(name, func(t *testing.T) {
			steps := handledAs(t, c.verb, c.body, func(ctx context.Context, tr *request, r *http.Request) {
				if _, err := io.ReadAll(r.Body); err != nil {
					t.Fatal(err)
				}
				all := &chain{next: mutator{func(*core.Pod) {}}, bus: tr.bus}
				if err := all.Admit(ctx, attributes(c.old, c.op), interfaces{}); err != nil {
					t.Fatal(err)
				}
				tr.hasMade(attributes(c.old, c.op), interfaces{})
			})
			var kinds []string
			var text string
			for _, s := range steps {
				if s.Kind != mutated {
					kinds = append(kinds, s.Kind.Key())
				}
				text += string(s.JSON(true)) + "\n"
			}
			if strings.Join(kinds, " ") != c.kinds || strings.Contains(text, "CANARY") || !strings.Contains(text, c.sent) {
				t.Errorf("%q: %s", kinds, text)
			}
			if want := map[bool]int{true: 1}[c.op == admission.Update]; want > strings.Count(text, image) {
				t.Errorf("there is no %s in %s", image, text)
			}
		})
	}
}

// TestWhichLineRefuses: who had the plugins run depends on what was asked for and what came of it.
func TestWhichLineRefuses(t *testing.T) {
	for _, c := range []struct {
		verb  string
		op    admission.Operation
		phase string
		want  string
	}{
		{"create", admission.Create, mutating, ""},
		{"create", admission.Create, validating, "create, validating"},
		{"update", admission.Update, mutating, "update"},
		{"update", admission.Create, mutating, "update that creates"},
		{"update", admission.Update, validating, "update, validating"},
		{"patch", admission.Update, mutating, "patch"},
		{"patch", admission.Create, mutating, "patch"},
		{"patch", admission.Create, validating, "create, validating"},
		{"delete", admission.Delete, mutating, "delete"},
		{"deletecollection", admission.Delete, validating, "delete, validating"},
		{"create", admission.Connect, mutating, "connect"},
		{"get", admission.Connect, validating, "connect, validating"},
	} {
		if got := refusedBy(c.verb, c.op, c.phase); got.Variant != c.want || got.Name != "admission.refused" {
			t.Errorf("%s, %s, %s: %q, want %q", c.verb, c.op, c.phase, got.Variant, c.want)
		}
	}
}

// TestPathsSayWhichName: a name with dots of its own is quoted, so that a reader finds the field.
func TestPathsSayWhichName(t *testing.T) {
	var changes []Change
	compare("", map[string]any{}, map[string]any{"a.b/c": 1, "plain": map[string]any{}, `q"`: 2}, &changes)
	if got := fmt.Sprint(changes); got != `[{["a.b/c"] <nil> 1} {["q\""] <nil> 2}]` {
		t.Error(got)
	}
}
