package etcdview

import (
	corev1 "k8s.io/api/core/v1"
)

// NotShown stands where a Secret's value is.
const NotShown = "(not shown)"

// cut takes the values out of a Secret, as the trace does (core/apiserver/apitrace), and tells whether
// there were any. tree is the object as JSON has it.
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
