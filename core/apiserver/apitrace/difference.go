package apitrace

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"sort"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Difference is what a plugin changed. It keeps the object before and after, without what is cut, and
// is made a list of paths when somebody looks.
type Difference struct {
	before, after runtime.Object
	version       schema.GroupVersion
	convert       runtime.ObjectConvertor
}

// differenceWeight is about what two objects hold.
const differenceWeight = 8 << 10

func (d *Difference) weight() int {
	if d == nil {
		return 0
	}
	return differenceWeight
}

// changed keeps before, which nobody else has, and a copy of what is there now.
func changed(before runtime.Object, a admission.Attributes, o admission.ObjectInterfaces) *Difference {
	after := a.GetObject().DeepCopyObject()
	cut(reflect.ValueOf(before))
	cut(reflect.ValueOf(after))
	return &Difference{before: before, after: after, version: a.GetKind().GroupVersion(), convert: o.GetObjectConvertor()}
}

// Change is one value that differs; nil is none.
type Change struct {
	Path   string `json:"path"`
	Before any    `json:"before,omitempty"`
	After  any    `json:"after,omitempty"`
}

// maxChanges bounds what is listed of one difference.
const maxChanges = 100

// MarshalJSON implements json.Marshaler.
func (d *Difference) MarshalJSON() ([]byte, error) {
	before, err := d.tree(d.before)
	if err != nil {
		return nil, err
	}
	after, err := d.tree(d.after)
	if err != nil {
		return nil, err
	}
	changes := []Change{}
	compare("", before, after, &changes)
	return json.Marshal(changes)
}

// tree is an object as the API's users see it.
func (d *Difference) tree(object runtime.Object) (map[string]any, error) {
	if u, ok := object.(*unstructured.Unstructured); ok {
		return u.Object, nil
	}
	versioned, err := d.convert.ConvertToVersion(object, d.version)
	if err != nil {
		return nil, fmt.Errorf("the object before or after in %s: %w", d.version, err)
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(versioned)
}

func compare(path string, before, after any, into *[]Change) {
	if len(*into) >= maxChanges || reflect.DeepEqual(before, after) || empty(before) && empty(after) {
		return
	}
	b, bok := before.(map[string]any)
	a, aok := after.(map[string]any)
	if bok && aok {
		names := map[string]bool{}
		for name := range b {
			names[name] = true
		}
		for name := range a {
			names[name] = true
		}
		sorted := make([]string, 0, len(names))
		for name := range names {
			sorted = append(sorted, name)
		}
		sort.Strings(sorted)
		for _, name := range sorted {
			compare(path+fieldPath(name), b[name], a[name], into)
		}
		return
	}
	bs, bok := before.([]any)
	as, aok := after.([]any)
	if bok && aok {
		compareLists(path, bs, as, into)
		return
	}
	*into = append(*into, Change{Path: trace.Text(path), Before: before, After: after})
}

// plainName is a field's that a path needs no quotes for.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// fieldPath is a step of a path: a label's name may have dots of its own.
func fieldPath(name string) string {
	if plainName.MatchString(name) {
		return "." + name
	}
	return fmt.Sprintf("[%q]", name)
}

// empty tells whether a value says nothing: types of Go have an empty map where nobody set any.
func empty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}
