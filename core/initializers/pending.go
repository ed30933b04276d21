package initializers

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	api "k8s.io/kubernetes/pkg/apis/core"
)

// metadata.initializers has left ObjectMeta, and a field that upstream's types do not have reaches no storage and no
// client. So these stand in its place, on an object that is not initialized and on no other.
const (
	// PendingAnnotation has the names of the initializers that have not acted, the next one first, with commas between.
	// It was metadata.initializers.pending.
	PendingAnnotation = "initializers.tabernetes.internal/pending"
	// ResultAnnotation is written by the initializer that refuses the object: a metav1.Status, in JSON, which its
	// creator gets; the object is then removed. It was metadata.initializers.result.
	ResultAnnotation = "initializers.tabernetes.internal/result"
)

// maxResult bounds a result in bytes: it is what people read.
const maxResult = 4 << 10

// podInitializing is what kubectl shows as a pod's status, where a pod that is not initialized is seen.
const podInitializing = "PodInitializing"

// annotated are an object's annotations; nil of what has no metadata.
func annotated(o runtime.Object) map[string]string {
	if m, err := meta.Accessor(o); err == nil {
		return m.GetAnnotations()
	}
	return nil
}

// pendingOf are the names on an object, none on one that is initialized.
func pendingOf(o runtime.Object) []string { return split(annotated(o)[PendingAnnotation]) }

func split(names string) []string {
	if names == "" {
		return nil
	}
	return strings.Split(names, ",")
}

// setPending writes the names; with none left the object is initialized.
func setPending(m metav1.Object, names []string) {
	a := map[string]string{}
	for k, v := range m.GetAnnotations() {
		a[k] = v
	}
	if len(names) > 0 {
		a[PendingAnnotation] = strings.Join(names, ",")
	} else {
		delete(a, PendingAnnotation)
	}
	if len(a) == 0 {
		a = nil
	}
	m.SetAnnotations(a)
}

// setReason has a pod say what it waits for.
func setReason(o runtime.Object, pending bool) {
	p, ok := o.(*api.Pod)
	switch {
	case !ok:
	case pending:
		p.Status.Reason = podInitializing
	case p.Status.Reason == podInitializing:
		p.Status.Reason = ""
	}
}

// resultOf is why an initializer refuses an object; nil if none does.
func resultOf(o runtime.Object) (*metav1.Status, error) {
	text, ok := annotated(o)[ResultAnnotation]
	if !ok {
		return nil, nil
	}
	if len(text) > maxResult {
		return nil, fmt.Errorf("a result of %d bytes is too long; at most %d are taken", len(text), maxResult)
	}
	var s metav1.Status
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, fmt.Errorf("a result is a Status in JSON: %w", err)
	}
	if s.Status != metav1.StatusFailure {
		return nil, errors.New(`a result says why an object is refused: its status is "Failure"`)
	}
	if s.Code < 400 || s.Code > 599 {
		return nil, errors.New("a result has a code between 400 and 599, as what its creator is answered")
	}
	return &s, nil
}
