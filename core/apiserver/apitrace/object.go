package apitrace

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/trace"
)

var (
	decoded = trace.Declare(trace.Admission, "apiserver.decoded", trace.Place{
		Package: handlersPackage, Func: "createHandler", Text: `span.AddEvent("Conversion done")`,
	})
	decodedUpdate = decoded.Where("update", trace.Place{
		Package: handlersPackage, Func: "UpdateResource", Text: `span.AddEvent("Conversion done")`,
	})
	decodedPatch = decoded.Where("patch", trace.Place{
		Package: handlersPackage, Func: "patcher.applyPatch", Text: "p.mechanism.applyPatchToCurrentObject(ctx, currentObject)",
	})
	decodedApply = decoded.Where("patch that creates", trace.Place{
		Package: handlersPackage, Func: "patcher.applyPatch", Text: "p.mechanism.createNewObject(ctx)",
	})
	made = trace.Declare(trace.Etcd, "registry.created", trace.Place{
		Package: registries, Func: "Store.create", Text: "rest.BeforeCreate(e.CreateStrategy, ctx, obj)",
	})
	madeByUpdate = made.Where("update that creates", trace.Place{
		Package: registries, Func: "Store.Update", Text: "rest.BeforeCreate(e.CreateStrategy, ctx, obj)",
	})
	updated = trace.Declare(trace.Etcd, "registry.updated", trace.Place{
		Package: registries, Func: "Store.Update", Text: "rest.BeforeUpdate(e.UpdateStrategy, ctx, obj, existing)",
	})
)

// Decoded are the details of apiserver.decoded: what was sent, what decoding and defaulting made of it,
// and whose fields these are from now on. As what plugins change it is looked at while somebody looks.
type Decoded struct {
	// Sent is the object as it came, or the patch, without what is cut; none if it was too long or neither.
	Sent any `json:"sent,omitempty"`
	// Changed is what was not sent: defaults. Of a patch it is what that changed of the object that was there.
	Changed *Difference `json:"changed,omitempty"`
	// Managers are those that the object has now, the request's own first.
	Managers []Manager `json:"managers,omitempty"`
	// own is whether the request's own is among them.
	own bool
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

// Brief implements trace.Briefer: of the managers whose request it is.
func (d *Decoded) Brief() any {
	var own []Manager
	if d.own {
		own = d.Managers[:1]
	}
	return &struct {
		Managers []Manager `json:"managers,omitempty"`
		Bytes    int       `json:"bytes"`
	}{own, d.bytes}
}

// Made are the details of registry.created, what the registry set of a new object, and of registry.updated,
// what is different about one that was there: in what was sent, by plugins, and by the registry itself.
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

// keepSent has the body be kept of a request whose object is looked at. What is created below an object is a question
// or a stream, but for a Binding, which says what the scheduler has decided.
func (t *request) keepSent(r *http.Request) {
	if !t.compared || r.Body == nil || r.Header.Get("Content-Encoding") != "" {
		return
	}
	if sub := t.Object().Subresource; t.details.Verb == "create" && sub != "" && sub != "binding" {
		return
	}
	t.sent = &sent{ReadCloser: r.Body}
	r.Body = t.sent
}

// value is what was sent, cut; nil if it is no object and no patch.
func (s *sent) value(verb, resource string) any {
	if s.long {
		return nil
	}
	if verb == "patch" {
		// A list of operations, or fields of an object which need not say what it is.
		var patch any
		if json.Unmarshal(s.kept.Bytes(), &patch) != nil && yaml.Unmarshal(s.kept.Bytes(), &patch) != nil {
			return nil // an apply may be YAML
		}
		trace.CutPatch(patch, resource)
		return patch
	}
	if tree := s.tree(resource); tree != nil {
		return tree
	}
	return nil
}

// tree is the object that was sent, cut; nil if it is none.
func (s *sent) tree(resource string) map[string]any {
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
	trace.CutTree(tree, resource)
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
	d := &Decoded{Sent: s.value(t.details.Verb, a.GetResource().Resource), bytes: s.kept.Len()}
	if m, err := meta.Accessor(a.GetObject()); err == nil {
		who := fieldManager(a.GetOperationOptions(), t.details.Agent)
		for _, entry := range m.GetManagedFields() {
			d.manages(entry, entry.Manager == who && entry.Subresource == a.GetSubresource())
		}
	}
	tree, whole := d.Sent.(map[string]any)
	kind := decoded
	switch old := a.GetOldObject(); {
	case t.details.Verb == "patch" && old != nil:
		kind = decodedPatch
		d.Changed = changed(old.DeepCopyObject(), a, o)
	case whole:
		d.Changed = changed(&unstructured.Unstructured{Object: tree}, a, o)
	}
	switch {
	case kind == decodedPatch:
	case t.details.Verb == "patch":
		kind = decodedApply
	case t.details.Verb == "update":
		kind = decodedUpdate
	}
	t.meet(a)
	t.bus.Add(trace.Step{Kind: kind, Component: component, Cause: t.ID, Object: t.Object(), Details: d})
}

// manages notes one more manager, or that it is the request's own.
func (d *Decoded) manages(entry metav1.ManagedFieldsEntry, own bool) {
	one := Manager{Name: trace.Text(entry.Manager), Operation: string(entry.Operation), Fields: fields(entry.FieldsV1)}
	if own {
		d.Managers = slices.Insert(d.Managers, 0, one)
		d.own = true
		return
	}
	d.Managers = append(d.Managers, one)
}

// fieldManager is who a request says that it is, or else the name of its program (managerOrUserAgent of
// k8s.io/apiserver/pkg/endpoints/handlers).
func fieldManager(options runtime.Object, agent string) string {
	named := ""
	switch o := options.(type) {
	case *metav1.CreateOptions:
		named = o.FieldManager
	case *metav1.UpdateOptions:
		named = o.FieldManager
	case *metav1.PatchOptions:
		named = o.FieldManager
	}
	if named != "" {
		return named
	}
	program, _, _ := strings.Cut(agent, "/")
	return program
}

// fields counts the fields in an entry of metadata.managedFields: the leaves of its set.
func fields(set *metav1.FieldsV1) int {
	if set == nil {
		return 0
	}
	return strings.Count(set.GetRawString(), "{}")
}

// hasMade tells, before the first plugin that only looks, what the registry set of a new object, or what is
// different about one that was there. The registry hands it over after its strategy has prepared and validated it.
func (t *request) hasMade(a admission.Attributes, o admission.ObjectInterfaces) {
	if t == nil || a.GetObject() == nil {
		return
	}
	d, kind := &Made{}, made
	switch {
	case a.GetOperation() == admission.Create && t.admitted != nil:
		if t.details.Verb != "create" {
			kind = madeByUpdate
		}
		d.Changed = changed(t.admitted, a, o)
		t.admitted = nil
	case a.GetOperation() == admission.Update && t.compared && a.GetOldObject() != nil:
		kind = updated
		d.Changed = changed(a.GetOldObject().DeepCopyObject(), a, o)
	default:
		return
	}
	t.meet(a)
	t.bus.Add(trace.Step{Kind: kind, Component: component, Cause: t.ID, Object: t.Object(), Details: d})
}
