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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/component-base/tracing"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/tabernetes/tabernetes/core/trace"
)

// handledBy runs a handler as the one that a traced request was routed to, and gives the steps it told.
func handledBy(t *testing.T, body string, h func(ctx context.Context, tr *request, r *http.Request)) []trace.Step {
	t.Helper()
	bus := trace.New()
	tr := &request{Request: &trace.Request{ID: bus.Reserve()}, bus: bus, compared: true, details: Served{Verb: "create"}}
	r := httptest.NewRequestWithContext(context.WithValue(t.Context(), requestKey{}, tr), http.MethodPost, "/", strings.NewReader(body))
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

// TestPathsSayWhichName: a name with dots of its own is quoted, so that a reader finds the field.
func TestPathsSayWhichName(t *testing.T) {
	var changes []Change
	compare("", map[string]any{}, map[string]any{"a.b/c": 1, "plain": map[string]any{}, `q"`: 2}, &changes)
	if got := fmt.Sprint(changes); got != `[{["a.b/c"] <nil> 1} {["q\""] <nil> 2}]` {
		t.Error(got)
	}
}
