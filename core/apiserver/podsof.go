package apiserver

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/batch"
	api "k8s.io/kubernetes/pkg/apis/core"
)

// podsOf is what a pod or a workload's template says of pods; nil for what has none, and for a pod that a controller
// makes: whoever made the workload has heard of it, and the controller tells nobody.
func podsOf(o runtime.Object) *api.PodSpec {
	switch o := o.(type) {
	case *api.Pod:
		if metav1.GetControllerOfNoCopy(o) == nil {
			return &o.Spec
		}
	case *apps.Deployment:
		return &o.Spec.Template.Spec
	case *apps.StatefulSet:
		return &o.Spec.Template.Spec
	case *apps.DaemonSet:
		return &o.Spec.Template.Spec
	case *apps.ReplicaSet:
		if metav1.GetControllerOfNoCopy(o) == nil {
			return &o.Spec.Template.Spec
		}
	case *api.ReplicationController:
		if o.Spec.Template != nil {
			return &o.Spec.Template.Spec
		}
	case *batch.Job:
		if metav1.GetControllerOfNoCopy(o) == nil {
			return &o.Spec.Template.Spec
		}
	case *batch.CronJob:
		return &o.Spec.JobTemplate.Spec.Template.Spec
	}
	return nil
}
