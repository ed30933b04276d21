package apitrace

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"github.com/tabernetes/tabernetes/core/trace"
)

var (
	decoded = trace.Declare(trace.Admission, "apiserver.decoded", trace.Place{
		Package: "k8s.io/apiserver/pkg/endpoints/handlers", Func: "createHandler", Text: `span.AddEvent("Conversion done")`,
	})
	made = trace.Declare(trace.Etcd, "registry.created", trace.Place{
		Package: "k8s.io/apiserver/pkg/registry/generic/registry", Func: "Store.create", Text: "rest.BeforeCreate(e.CreateStrategy, ctx, obj)",
	})
)

// Decoded are the details of apiserver.decoded: what was sent, what decoding and defaulting made of it,
// and whose fields these are from now on. As what plugins change it is looked at while somebody looks.
type Decoded struct {
	// Sent is the object as it came, without what is cut; none if it was too long or no object.
	Sent map[string]any `json:"sent,omitempty"`
	// Changed is what was not sent: defaults.
	Changed  *Difference `json:"changed,omitempty"`
	Managers []Manager   `json:"managers,omitempty"`
	// bytes is how much was sent.
	bytes int
}

// Manager is one of an object's metadata.managedFields.
type Manager struct {
	Name      string `json:"name"`
	Operation string `json:"operation"`
	// Fields is how many it set.
	Fields int `json:"fields"`
}

// Weight implements trace.Weigher.
func (d *Decoded) Weight() int { return 128 + 4*d.bytes + d.Changed.weight() + 64*len(d.Managers) }

// Brief implements trace.Briefer.
func (d *Decoded) Brief() any {
	return &struct {
		Managers []Manager `json:"managers,omitempty"`
		Bytes    int       `json:"bytes"`
	}{d.Managers, d.bytes}
}

// Made are the details of registry.created: what the registry set of a new object.
type Made struct {
	Changed *Difference `json:"changed,omitempty"`
}

// Weight implements trace.Weigher.
func (m *Made) Weight() int { return 32 + m.Changed.weight() }

// Brief implements trace.Briefer.
func (*Made) Brief() any { return nil }

// maxSent bounds, in bytes, the body that is looked at.
const maxSent = 32 << 10

// sent keeps what a handler reads of a request's body.
type sent struct {
	io.ReadCloser
	kept bytes.Buffer
	long bool
}

// Read implements io.Reader.
func (s *sent) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if s.kept.Len()+n > maxSent {
		s.long = true
		s.kept.Reset()
	}
	if !s.long {
		s.kept.Write(p[:n])
	}
	return n, err
}

// keepSent has the body be kept of a request that creates an object which is looked at.
func (t *request) keepSent(r *http.Request) {
	if t.compared && t.details.Verb == "create" && t.Object().Subresource == "" && r.Body != nil && r.Header.Get("Content-Encoding") == "" {
		t.sent = &sent{ReadCloser: r.Body}
		r.Body = t.sent
	}
}

// tree is the object that was sent, cut; nil if it is none.
func (s *sent) tree() map[string]any {
	if s.long {
		return nil
	}
	var tree map[string]any
	if json.Unmarshal(s.kept.Bytes(), &tree) != nil {
		// The cluster's own components send protobuf.
		object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(s.kept.Bytes(), nil, nil)
		if err != nil {
			return nil
		}
		if tree, err = runtime.DefaultUnstructuredConverter.ToUnstructured(object); err != nil {
			return nil
		}
		// The deserializer takes the kind for the type's, and leaves it out.
		if kinds, _, err := legacyscheme.Scheme.ObjectKinds(object); err == nil && len(kinds) > 0 {
			tree["apiVersion"], tree["kind"] = kinds[0].GroupVersion().String(), kinds[0].Kind
		}
		dropNull(tree)
	}
	trace.CutTree(tree)
	return tree
}

// dropNull leaves out what Go's types have in JSON though nobody set it: "creationTimestamp": null.
func dropNull(tree map[string]any) {
	for name, value := range tree {
		switch v := value.(type) {
		case nil:
			delete(tree, name)
		case map[string]any:
			dropNull(v)
		case []any:
			for _, item := range v {
				if inner, ok := item.(map[string]any); ok {
					dropNull(inner)
				}
			}
		}
	}
	if status, ok := tree["status"].(map[string]any); ok && len(status) == 0 {
		delete(tree, "status")
	}
}

// hasDecoded tells, before the first plugin, what was made of what was sent.
func (t *request) hasDecoded(a admission.Attributes, o admission.ObjectInterfaces) {
	if t == nil || t.sent == nil || a.GetObject() == nil {
		return
	}
	s := t.sent
	t.sent = nil
	d := &Decoded{Sent: s.tree(), bytes: s.kept.Len()}
	if m, err := meta.Accessor(a.GetObject()); err == nil {
		for _, entry := range m.GetManagedFields() {
			d.Managers = append(d.Managers, Manager{Name: trace.Text(entry.Manager), Operation: string(entry.Operation), Fields: fields(entry.FieldsV1)})
		}
	}
	if d.Sent != nil {
		after := a.GetObject().DeepCopyObject()
		cut(reflect.ValueOf(after))
		d.Changed = &Difference{before: &unstructured.Unstructured{Object: d.Sent}, after: after, version: a.GetKind().GroupVersion(), convert: o.GetObjectConvertor()}
	}
	t.meet(a)
	t.bus.Add(trace.Step{Kind: decoded, Component: component, Cause: t.ID, Object: t.Object(), Details: d})
}

// fields counts the fields in an entry of metadata.managedFields: the leaves of its set.
func fields(set *metav1.FieldsV1) int {
	if set == nil {
		return 0
	}
	return strings.Count(set.GetRawString(), "{}")
}

// hasMade tells, before the first plugin that only looks, what the registry set of a new object. The
// registry hands it over after its strategy has prepared and validated it.
func (t *request) hasMade(a admission.Attributes, o admission.ObjectInterfaces) {
	if t == nil || t.admitted == nil || a.GetObject() == nil || a.GetOperation() != admission.Create {
		return
	}
	d := &Made{Changed: changed(t.admitted, a, o)}
	t.admitted = nil
	t.meet(a)
	t.bus.Add(trace.Step{Kind: made, Component: component, Cause: t.ID, Object: t.Object(), Details: d})
}
