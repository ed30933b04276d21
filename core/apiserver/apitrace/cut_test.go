package apitrace

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/core"
)

const canary = "CANARY"

// TestCut: what is kept of an object has none of the secrets that it can hold.
func TestCut(t *testing.T) {
	spec := core.PodSpec{
		InitContainers: []core.Container{{Env: []core.EnvVar{{Name: "A", Value: canary}}, Args: []string{canary}}},
		Containers: []core.Container{{
			Command:       []string{canary},
			Lifecycle:     &core.Lifecycle{PostStart: &core.LifecycleHandler{Exec: &core.ExecAction{Command: []string{canary}}}},
			LivenessProbe: &core.Probe{ProbeHandler: core.ProbeHandler{HTTPGet: &core.HTTPGetAction{Path: "/?" + canary, HTTPHeaders: []core.HTTPHeader{{Name: "Authorization", Value: canary}}}}},
		}},
		EphemeralContainers: []core.EphemeralContainer{{EphemeralContainerCommon: core.EphemeralContainerCommon{Args: []string{canary}}}},
	}
	status := core.PodStatus{ContainerStatuses: []core.ContainerStatus{{
		State:                core.ContainerState{Waiting: &core.ContainerStateWaiting{Reason: "RunContainerError", Message: `exec: "` + canary + `": no such file or directory`}},
		LastTerminationState: core.ContainerState{Terminated: &core.ContainerStateTerminated{Message: canary}},
	}}}
	annotated := metav1.ObjectMeta{Name: "kept", Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: canary, "a": canary, "deployment.kubernetes.io/revision": "kept"}}
	for _, object := range []runtime.Object{
		&core.Pod{ObjectMeta: annotated, Spec: *spec.DeepCopy(), Status: status},
		&apps.Deployment{ObjectMeta: annotated, Spec: apps.DeploymentSpec{Template: core.PodTemplateSpec{ObjectMeta: annotated, Spec: *spec.DeepCopy()}}},
		&core.Secret{ObjectMeta: metav1.ObjectMeta{Name: "kept"}, Data: map[string][]byte{"k": []byte(canary)}},
		&core.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}, Data: map[string]string{"k": canary}, BinaryData: map[string][]byte{"k": []byte(canary)}},
		&unstructured.Unstructured{Object: map[string]any{
			"kind": "Strange", "metadata": map[string]any{"name": "kept", "managedFields": []any{canary}, "annotations": map[string]any{"a": canary}},
			"spec": map[string]any{"password": canary, "env": []any{map[string]any{"name": "A", "value": canary}}, "deep": []any{[]any{map[string]any{"token": canary}}}},
		}},
		&unstructured.Unstructured{Object: map[string]any{"kind": "Secret", "metadata": map[string]any{"name": "kept"}, "data": map[string]any{"k": canary}, "stringData": map[string]any{"k": canary}}},
	} {
		cut(reflect.ValueOf(object))
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		// A Secret's data are base64 in JSON: the struct itself is looked at as well.
		if all := string(text) + fmt.Sprintf("%+v %q", object, object); strings.Contains(all, canary) || !strings.Contains(all, "kept") {
			t.Errorf("%T is kept as %s", object, text)
		}
	}
}

// TestMessagesQuoteNothing: what a validation says of an object is its fields.
func TestMessagesQuoteNothing(t *testing.T) {
	err := apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "p", field.ErrorList{
		field.Invalid(field.NewPath("spec", "env"), canary, "is "+canary),
		field.Forbidden(field.NewPath("spec"), "may not be changed: "+canary),
	})
	if got := message(err); strings.Contains(got, canary) || !strings.Contains(got, "spec.env (FieldValueInvalid)") {
		t.Error(got)
	}
	if got := message(errors.New(strings.Repeat("x", 1<<20))); len(got) > 2000 {
		t.Errorf("%d bytes", len(got))
	}
}

// TestCompareIsBounded: a difference between large objects is a list that ends.
func TestCompareIsBounded(t *testing.T) {
	before, after := map[string]any{}, map[string]any{"a": map[string]any{"b": int64(1)}}
	for i := range 10 * maxChanges {
		after[fmt.Sprint("x", i)] = "y"
	}
	changes := []Change{}
	compare("", before, after, &changes)
	if len(changes) != maxChanges {
		t.Errorf("%d changes", len(changes))
	}
	changes = nil
	compare("", map[string]any{"a": []any{"x"}}, map[string]any{"a": []any{"x", "y"}}, &changes)
	if len(changes) != 1 || changes[0].Path != ".a[1]" || changes[0].After != "y" {
		t.Errorf("%+v", changes)
	}
}
