package apiserver

import (
	"context"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/pkg/apis/apps"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/utils/ptr"
)

// TestSecurityContextsAreWarnedOf where programs ask no kernel, once for an object, by the fields that do nothing and no
// others.
func TestSecurityContextsAreWarnedOf(t *testing.T) {
	unmasked, usual := api.UnmaskedProcMount, api.DefaultProcMount
	everything := api.PodSpec{
		SecurityContext: &api.PodSecurityContext{SeccompProfile: &api.SeccompProfile{Type: api.SeccompProfileTypeRuntimeDefault}, SELinuxOptions: &api.SELinuxOptions{}},
		InitContainers: []api.Container{{}, {SecurityContext: &api.SecurityContext{
			Capabilities: &api.Capabilities{Drop: []api.Capability{"ALL"}}, ProcMount: &unmasked, SELinuxOptions: &api.SELinuxOptions{},
		}}},
		Containers: []api.Container{{SecurityContext: &api.SecurityContext{
			Privileged: ptr.To(true), AppArmorProfile: &api.AppArmorProfile{Type: api.AppArmorProfileTypeLocalhost},
		}}},
	}
	holds := api.PodSpec{
		SecurityContext: &api.PodSecurityContext{RunAsUser: ptr.To[int64](1), FSGroup: ptr.To[int64](2), SeccompProfile: &api.SeccompProfile{Type: api.SeccompProfileTypeUnconfined}},
		Containers: []api.Container{{SecurityContext: &api.SecurityContext{
			Privileged: ptr.To(false), AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true),
			Capabilities: &api.Capabilities{}, ProcMount: &usual,
		}}},
	}
	there := true
	plugin := &securityWarnings{Handler: admission.NewHandler(admission.Create, admission.Update), inTab: func() bool { return there }}
	said := func(now, before runtime.Object, subresource string) []string {
		var w warnings
		operation := admission.Create
		if before != nil {
			operation = admission.Update
		}
		a := admission.NewAttributesRecord(now, before, schema.GroupVersionKind{}, "ns", "x", schema.GroupVersionResource{}, subresource, operation, nil, false, nil)
		if err := plugin.Validate(warning.WithWarningRecorder(context.Background(), &w), a, nil); err != nil {
			t.Error(err)
		}
		return w
	}
	const all = "securityContext: appArmorProfile, capabilities, privileged, procMount, seLinuxOptions, seccompProfile: accepted, and without effect on nodes in the tab, where programs ask no kernel"
	pod, plain := &api.Pod{Spec: everything}, &api.Pod{Spec: holds}
	deployment := &apps.Deployment{Spec: apps.DeploymentSpec{Template: api.PodTemplateSpec{Spec: everything}}}
	for _, o := range []runtime.Object{pod, deployment} {
		if got := said(o, nil, ""); !slices.Equal(got, []string{all}) {
			t.Errorf("%T: %q", o, got)
		}
		if got := said(o, o, ""); len(got) > 0 {
			t.Errorf("%T is told of again: %q", o, got)
		}
	}
	if got := said(pod, plain, ""); len(got) != 1 {
		t.Errorf("a pod that comes to ask: %q", got)
	}
	owned := pod.DeepCopy()
	owned.OwnerReferences = []metav1.OwnerReference{{Controller: ptr.To(true)}}
	for name, got := range map[string][]string{
		"what holds": said(plain, nil, ""), "a controller's pod": said(owned, nil, ""), "a status": said(pod, plain, "status"),
		"no pod": said(&api.Service{}, nil, ""), "no template": said(&api.ReplicationController{}, nil, ""),
	} {
		if len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
	there = false
	if got := said(pod, nil, ""); len(got) > 0 {
		t.Errorf("warned in a cluster of real nodes only: %q", got)
	}
}
