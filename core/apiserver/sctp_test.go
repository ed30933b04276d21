package apiserver

import (
	"context"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/batch"
	api "k8s.io/kubernetes/pkg/apis/core"
)

type warnings []string

func (w *warnings) AddWarning(_, text string) { *w = append(*w, text) }

// TestSCTPIsWarnedOf where nodes carry none, once for an object, and never refused.
func TestSCTPIsWarnedOf(t *testing.T) {
	with := func(p api.Protocol) api.PodTemplateSpec {
		return api.PodTemplateSpec{Spec: api.PodSpec{
			InitContainers: []api.Container{{}},
			Containers:     []api.Container{{}, {Ports: []api.ContainerPort{{Protocol: api.ProtocolTCP}, {Protocol: p}}}},
		}}
	}
	service := func(p api.Protocol) *api.Service {
		return &api.Service{Spec: api.ServiceSpec{Ports: []api.ServicePort{{Protocol: api.ProtocolUDP}, {Protocol: p}}}}
	}
	all := func(p api.Protocol) []runtime.Object {
		template := with(p)
		return []runtime.Object{
			service(p), &api.Pod{Spec: template.Spec},
			&apps.Deployment{Spec: apps.DeploymentSpec{Template: template}},
			&apps.StatefulSet{Spec: apps.StatefulSetSpec{Template: template}},
			&apps.DaemonSet{Spec: apps.DaemonSetSpec{Template: template}},
			&apps.ReplicaSet{Spec: apps.ReplicaSetSpec{Template: template}},
			&api.ReplicationController{Spec: api.ReplicationControllerSpec{Template: &template}},
			&batch.Job{Spec: batch.JobSpec{Template: template}},
			&batch.CronJob{Spec: batch.CronJobSpec{JobTemplate: batch.JobTemplateSpec{Spec: batch.JobSpec{Template: template}}}},
		}
	}
	there := true
	plugin := &sctp{Handler: admission.NewHandler(admission.Create, admission.Update), carriesNone: func() bool { return there }}
	said := func(now, before runtime.Object, subresource string) int {
		var w warnings
		operation := admission.Create
		if before != nil {
			operation = admission.Update
		}
		a := admission.NewAttributesRecord(now, before, schema.GroupVersionKind{}, "ns", "x", schema.GroupVersionResource{}, subresource, operation, nil, false, nil)
		if err := plugin.Validate(warning.WithWarningRecorder(context.Background(), &w), a, nil); err != nil {
			t.Error(err)
		}
		return len(w)
	}
	for i, o := range all(api.ProtocolSCTP) {
		plain := all(api.ProtocolTCP)[i]
		if n := said(o, nil, ""); n != 1 {
			t.Errorf("%T: %d warnings", o, n)
		}
		if n := said(plain, nil, ""); n != 0 {
			t.Errorf("%T without: %d warnings", o, n)
		}
		if said(o, plain, "") != 1 || said(o, o, "") != 0 || said(o, plain, "status") != 0 {
			t.Errorf("%T: changes", o)
		}
	}
	if n := said(&api.ReplicationController{}, nil, ""); n != 0 {
		t.Error("without a template")
	}
	there = false
	if n := said(service(api.ProtocolSCTP), nil, ""); n != 0 {
		t.Error("warned in a cluster of real nodes only")
	}
}

// TestUpstreamsOrderStays: the order of plugins is a variable that all servers of a process share.
func TestUpstreamsOrderStays(t *testing.T) {
	for range 2 {
		o := options.NewServerRunOptions().Admission.GenericAdmission
		before := slices.Clone(o.RecommendedPluginOrder)
		warnOfSCTP(o, func() bool { return false })
		if errs := o.Validate(); len(errs) > 0 {
			t.Error(errs)
		}
		warnOfIngresses(o, func() bool { return false }, "")
		last := len(before) - 1
		want := slices.Concat(before[:last], []string{sctpPlugin, ingressPlugin}, before[last:])
		if !slices.Equal(o.RecommendedPluginOrder, want) || slices.Contains(before, sctpPlugin) {
			t.Errorf("%v", o.RecommendedPluginOrder)
		}
	}
}
