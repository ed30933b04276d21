package apitrace

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"github.com/tabernetes/tabernetes/core/trace"
)

var invalid = trace.Declare(trace.Etcd, "validation.refused", trace.Place{
	Package: restPackage, Func: "BeforeCreate", Text: "if errs := strategy.Validate(ctx, obj); len(errs) > 0 {",
})

var invalidUpdate = invalid.Where("update", trace.Place{
	Package: restPackage, Func: "BeforeUpdate", Text: "errs = append(errs, strategy.ValidateUpdate(ctx, obj, old)...)",
})

// Invalid are the details of validation.refused: the fields that are not as they have to be. What they
// hold is in the server's message, and not kept.
type Invalid struct {
	Kind   string  `json:"kind"`
	Fields []Field `json:"fields"`
	// More is how many there are besides.
	More int `json:"more,omitempty"`
}

// Field is one that a validation speaks of. Type is k8s.io/apimachinery/pkg/util/validation/field's:
// "FieldValueRequired", "FieldValueInvalid", ….
type Field struct {
	Field string `json:"field"`
	Type  string `json:"type"`
	// Message is the server's where it quotes nothing: of a field that is missing.
	Message string `json:"message,omitempty"`
}

// Weight implements trace.Weigher.
func (i *Invalid) Weight() int {
	n := 64
	for _, f := range i.Fields {
		n += 64 + len(f.Field) + len(f.Message)
	}
	return n
}

const (
	// maxRefusal bounds the answer that is looked at, in bytes, maxFields the fields that are named.
	maxRefusal = 64 << 10
	maxFields  = 32
)

// refusedFields tells of a request that was answered with 422 which fields were to blame; admission has
// told of its own refusals already. It is called with mu held.
func (t *request) refusedFields(w *recorder) {
	if w.code != http.StatusUnprocessableEntity || t.refused || len(w.body) == 0 {
		return
	}
	object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(plain(w), nil, nil)
	status, ok := object.(*metav1.Status)
	if err != nil || !ok || status.Details == nil {
		return // somebody else's
	}
	d := &Invalid{Kind: trace.Text(status.Details.Kind), Fields: []Field{}}
	for _, c := range status.Details.Causes {
		if len(d.Fields) == maxFields {
			d.More = len(status.Details.Causes) - maxFields
			break
		}
		f := Field{Field: trace.Text(c.Field), Type: trace.Text(string(c.Type))}
		if c.Type == metav1.CauseTypeFieldValueRequired {
			f.Message = trace.Text(c.Message)
		}
		d.Fields = append(d.Fields, f)
	}
	kind := invalid
	if t.operation == admission.Update {
		kind = invalidUpdate
	}
	t.bus.Add(trace.Step{Kind: kind, Component: component, Cause: t.ID, Object: t.Object(), Details: d})
}

// plain is the refusal that was answered, as far as it is looked at; upstream compresses long ones
// (k8s.io/apiserver/pkg/endpoints/handlers/responsewriters).
func plain(w *recorder) []byte {
	if w.Header().Get("Content-Encoding") != "gzip" {
		return w.body
	}
	z, err := gzip.NewReader(bytes.NewReader(w.body))
	if err != nil {
		return nil
	}
	// The decoder wants all of it: what is longer is nothing.
	b, err := io.ReadAll(io.LimitReader(z, maxRefusal+1))
	if err != nil || len(b) > maxRefusal {
		return nil
	}
	return b
}
