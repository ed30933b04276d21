package apitrace

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/trace"
)

// refusal is a 422 about a field, with so many more of them.
func refusal(t *testing.T, fields int) []byte {
	t.Helper()
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Reason: metav1.StatusReasonInvalid, Code: 422,
		Details: &metav1.StatusDetails{Kind: "Pod"},
	}
	for i := range fields {
		status.Details.Causes = append(status.Details.Causes, metav1.StatusCause{
			Type: metav1.CauseTypeFieldValueInvalid, Field: fmt.Sprintf("spec.field%d", i), Message: `Invalid value: "canary"`,
		})
	}
	b, err := json.Marshal(&status)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func zipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestRefusedFields: a refusal names its fields, compressed or not, and none of their values; one that is
// made to be endless, or is none, ends nothing.
func TestRefusedFields(t *testing.T) {
	for name, c := range map[string]struct {
		encoding string
		body     []byte
		fields   int
	}{
		"plain":           {"", refusal(t, 2), 2},
		"compressed":      {"gzip", zipped(t, refusal(t, 2)), 2},
		"bomb":            {"gzip", zipped(t, bytes.Repeat([]byte(" "), 16<<20)), -1},
		"cut short":       {"gzip", zipped(t, refusal(t, 2))[:40], -1},
		"not compressed":  {"gzip", refusal(t, 2), -1},
		"no status":       {"gzip", zipped(t, []byte(`{"kind":"Pod","apiVersion":"v1"}`)), -1},
		"too many fields": {"gzip", zipped(t, refusal(t, maxFields+5)), maxFields},
	} {
		t.Run(name, func(t *testing.T) {
			bus := trace.New()
			r := &request{Request: trace.Request{ID: bus.Reserve()}, bus: bus}
			w := &recorder{ResponseWriter: httptest.NewRecorder()}
			if c.encoding != "" {
				w.Header().Set("Content-Encoding", c.encoding)
			}
			w.WriteHeader(http.StatusUnprocessableEntity)
			if _, err := w.Write(c.body); err != nil {
				t.Fatal(err)
			}
			r.end(w)
			steps, _ := bus.All()
			got := -1
			for i := range steps {
				if d, ok := steps[i].Details.(*Invalid); ok {
					got = len(d.Fields)
				}
				if text := string(steps[i].JSON(true)); strings.Contains(text, "canary") {
					t.Error(text)
				}
			}
			if got != c.fields {
				t.Errorf("%d fields, want %d", got, c.fields)
			}
		})
	}
}
