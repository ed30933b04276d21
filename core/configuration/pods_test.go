package configuration_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// patience bounds how long anything may take on a busy machine.
const patience = 3 * time.Minute

// eventually waits until f is true.
func eventually(t *testing.T, what string, f func(context.Context) bool) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		return f(ctx), nil
	}); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

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
	eventually(t, "scheduled", func(ctx context.Context) bool {
		p, err := pods.Get(ctx, made.Name, metav1.GetOptions{})
		return err == nil && p.Spec.NodeName != ""
	})
	zero := int64(0)
	if err := pods.Delete(t.Context(), made.Name, metav1.DeleteOptions{GracePeriodSeconds: &zero}); err != nil {
		t.Error(err)
	}
}
