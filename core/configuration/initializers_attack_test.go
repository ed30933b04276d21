package configuration_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/initializers"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// attackInitializers: what somebody without the verb "initialize" tries; and who has it, out of order.
func attackInitializers(t *testing.T, all kubernetes.Interface) {
	editor, editorAll := withToken(t, "s3cret"), seeing(t, as("s3cret"))
	pods := editor.CoreV1().Pods("init")
	forged := func(change func(*corev1.Pod)) error {
		p := podNamed("forged")
		p.Annotations = map[string]string{}
		change(p)
		_, err := editorAll.CoreV1().Pods("init").Create(t.Context(), p, metav1.CreateOptions{})
		return err
	}
	for what, change := range map[string]func(*corev1.Pod){
		"an empty list at create": func(p *corev1.Pod) { p.Annotations[initializers.PendingAnnotation] = "" },
		"a list at create":        func(p *corev1.Pod) { p.Annotations[initializers.PendingAnnotation] = "mine.example.com" },
		"a result at create":      func(p *corev1.Pod) { p.Annotations[initializers.ResultAnnotation] = "{}" },
	} {
		if err := forged(change); !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// A mirror pod is one that a node says it runs.
	if err := forged(func(p *corev1.Pod) { p.Annotations[corev1.MirrorPodAnnotationKey] = "x" }); err == nil {
		if p, err := all.CoreV1().Pods("init").Get(t.Context(), "forged", metav1.GetOptions{}); err != nil || p.Annotations[initializers.PendingAnnotation] == "" {
			t.Errorf("who says that it is a mirror pod does not wait: %v", err)
		}
	}
	list, err := pods.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := editorAll.CoreV1().Pods("init").Create(t.Context(), podNamed("attacked"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	// From before it was stored, and from now on: nothing comes before the next that is initialized.
	events, err := pods.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion, FieldSelector: "metadata.name=attacked"})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	for what, try := range map[string]func() error{
		"its list": func() error {
			_, err := pods.Patch(t.Context(), "attacked", types.MergePatchType, fmt.Appendf(nil, `{"metadata": {"annotations": {%q: null}}}`, initializers.PendingAnnotation), metav1.PatchOptions{})
			return err
		},
		"its list by its status": func() error {
			_, err := pods.Patch(t.Context(), "attacked", types.MergePatchType,
				fmt.Appendf(nil, `{"metadata": {"annotations": {%q: null}}, "status": {"phase": "Running"}}`, initializers.PendingAnnotation), metav1.PatchOptions{}, "status")
			return err
		},
		"a label": func() error {
			_, err := pods.Patch(t.Context(), "attacked", types.MergePatchType, []byte(`{"metadata": {"labels": {"a": "b"}}}`), metav1.PatchOptions{})
			return err
		},
		"an applied label": func() error {
			_, err := pods.Patch(t.Context(), "attacked", types.ApplyPatchType, []byte(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "attacked", "labels": {"a": "b"}}}`), metav1.PatchOptions{FieldManager: "m"})
			return err
		},
	} {
		if err := try(); !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	admins := admin(t).CoreV1().Pods("init")
	if err := admins.Bind(t.Context(), &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "attacked"}, Target: corev1.ObjectReference{Kind: "Node", Name: "node-1"}}, metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("bound to a node: %v", err)
	}
	if err := pods.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=attacked"}); err != nil {
		t.Error(err)
	}
	if _, err := all.CoreV1().Pods("init").Get(t.Context(), "attacked", metav1.GetOptions{}); err != nil {
		t.Errorf("a collection that does not show it deleted it: %v", err)
	}
	// Who looks whether an owner is there, and who empties namespaces, see it.
	for _, account := range []string{"generic-garbage-collector", "namespace-controller"} {
		c := rest.CopyConfig(running.AdminConfig())
		c.Impersonate.UserName = "system:serviceaccount:kube-system:" + account
		client, err := kubernetes.NewForConfig(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.CoreV1().Pods("init").Get(t.Context(), "attacked", metav1.GetOptions{}); err != nil {
			t.Errorf("%s: %v", account, err)
		}
	}
	// On what is initialized nobody sets a list: it would be gone from everybody's view.
	maps := admin(t).CoreV1().ConfigMaps("init")
	if _, err := maps.Patch(t.Context(), "kube-root-ca.crt", types.MergePatchType, fmt.Appendf(nil, `{"metadata": {"annotations": {%q: "a.example.com"}}}`, initializers.PendingAnnotation), metav1.PatchOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a list on what is initialized: %v", err)
	}
	// Who deletes with a finalizer does not make it appear.
	if _, err := all.CoreV1().Pods("init").Patch(t.Context(), "attacked", types.MergePatchType, []byte(`{"metadata": {"finalizers": ["example.com/f"]}}`), metav1.PatchOptions{}); err != nil {
		t.Error(err)
	}
	if err := pods.Delete(t.Context(), "attacked", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := pods.Get(t.Context(), "attacked", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a deleted one appears: %v", err)
	}
	if l, err := withToken(t, "shared").CoreV1().Pods("").List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=attacked"}); err != nil || len(l.Items) != 1 {
		t.Errorf("who removes finalizers does not see it: %d, %v", len(l.Items), err)
	}
	if _, err := all.CoreV1().Pods("init").Patch(t.Context(), "attacked", types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`), metav1.PatchOptions{}); err != nil {
		t.Error(err)
	}
	eventually.True(t, "it is gone", func() bool {
		ctx := t.Context()
		_, err := all.CoreV1().Pods("init").Get(ctx, "attacked", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
	select {
	case e := <-events.ResultChan():
		t.Errorf("a watch from revision %s shows %s %v", list.ResourceVersion, e.Type, e.Object)
	default:
	}
}
