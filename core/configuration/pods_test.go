package configuration_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// scheduled makes a pod for a scheduler that asks for so much CPU, waits until it has a node, and removes it.
func scheduled(t *testing.T, scheduler, cpu string) {
	t.Helper()
	pods := admin(t).CoreV1().Pods("default")
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "scheduled-"},
		Spec: corev1.PodSpec{SchedulerName: scheduler, Containers: []corev1.Container{{
			Name: "c", Image: "pause",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}},
		}}},
	}
	made, err := pods.Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "scheduled", func() bool {
		ctx := t.Context()
		p, err := pods.Get(ctx, made.Name, metav1.GetOptions{})
		return err == nil && p.Spec.NodeName != ""
	})
	zero := int64(0)
	if err := pods.Delete(t.Context(), made.Name, metav1.DeleteOptions{GracePeriodSeconds: &zero}); err != nil {
		t.Error(err)
	}
}
