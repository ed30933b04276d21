package etcdview

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/tabernetes/tabernetes/core/trace"
)

// NotShown stands where a Secret's value is.
const NotShown = "(not shown)"

// cut takes the values out of a Secret and tells whether there were any. tree is the object as JSON has it. All
// else stays: an owner who opens an object reads what they would read by `kubectl get -o yaml`, and what only
// might be secret, an annotation or a command, is most of what there is to read in it. What is shown unasked,
// beside a command's steps, is cut as those are: cutAsTrace.
func cut(kind string, tree map[string]any) (withheld bool) {
	if kind != "Secret" {
		return false
	}
	for _, field := range []string{"data", "stringData"} {
		switch values := tree[field].(type) {
		case nil:
		case map[string]any:
			for name := range values {
				values[name], withheld = NotShown, true
			}
		default: // a CustomResource that is called Secret may have anything there
			tree[field], withheld = NotShown, true
		}
	}
	metadata, _ := tree["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if annotations[corev1.LastAppliedConfigAnnotation] != nil {
		annotations[corev1.LastAppliedConfigAnnotation], withheld = NotShown, true // holds all the rest
	}
	return withheld
}

// cutAsTrace takes out what the trace withholds: trace.CutTree is the only table of that. Of managedFields, which
// quote values, it leaves how elements of lists are told apart (web/journey/merge-keys.ts).
func cutAsTrace(key string, tree map[string]any) {
	resource := ""
	for _, part := range strings.Split(key, "/") {
		// Of a CustomResource the key does not say where its resource stands: rather one that only is called so.
		if part == "secrets" || part == "configmaps" {
			resource = part
		}
	}
	metadata, _ := tree["metadata"].(map[string]any)
	managers, _ := metadata["managedFields"].([]any)
	trace.CutTree(tree, resource)
	var kept []any
	for _, manager := range managers {
		if m, ok := manager.(map[string]any); ok {
			kept = append(kept, map[string]any{"fieldsV1": keyNames(m["fieldsV1"])})
		}
	}
	if kept != nil {
		metadata["managedFields"] = kept
	}
}

// keyNames is a set of fields (structured-merge-diff) without values: `k:{"name":"nginx"}` becomes `k:{"name":null}`.
func keyNames(fields any) map[string]any {
	of, _ := fields.(map[string]any)
	names := map[string]any{}
	for name, inner := range of {
		key, isKey := strings.CutPrefix(name, "k:")
		if isKey {
			name = "k:" + withoutValues(key)
		} else if !strings.HasPrefix(name, "f:") {
			continue
		}
		// Elements of one list have one name now: what is below any of them is kept.
		into, ok := names[name].(map[string]any)
		if !ok {
			into = map[string]any{}
			names[name] = into
		}
		merge(into, keyNames(inner))
	}
	return names
}

func withoutValues(key string) string {
	var values map[string]any
	_ = json.Unmarshal([]byte(key), &values) // what is no object has no names
	for name := range values {
		values[name] = nil
	}
	names, err := json.Marshal(values)
	if err != nil {
		return "{}"
	}
	return string(names)
}

func merge(into, from map[string]any) {
	for name, inner := range from {
		have, ok := into[name].(map[string]any)
		more, isMap := inner.(map[string]any)
		if ok && isMap {
			merge(have, more)
		} else {
			into[name] = inner
		}
	}
}
