package node_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestAPodWhosePauseEnds is made anew by the kubelet, as on Linux: a process of the pod ends number 1 of the
// namespace that they share, and with it all the others.
func TestAPodWhosePauseEnds(t *testing.T) {
	c := startCluster(t)
	ns := c.namespace(t, "pause-ends")
	share := true
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "together"}, Spec: corev1.PodSpec{
		ShareProcessNamespace: &share,
		Containers:            []corev1.Container{{Name: "main", Image: "busybox", Command: []string{"sleep", "3600"}}},
	}}
	if _, err := c.CoreV1().Pods(ns).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	c.until(t, ns, "together", "ready", ready)
	_, _ = c.exec(t, ns, "together", "main", "sh", "-c", "kill -9 1; kill 1; sleep 3600") // it ends with the rest
	p := c.until(t, ns, "together", "restarted", func(p *corev1.Pod) bool {
		return p != nil && ready(p) && p.Status.ContainerStatuses[0].RestartCount > 0
	})
	if last := p.Status.ContainerStatuses[0].LastTerminationState.Terminated; last == nil || last.ExitCode != 137 {
		t.Errorf("it ended as %+v", last)
	}
	events, err := c.CoreV1().Events(ns).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=SandboxChanged"})
	if err != nil || len(events.Items) == 0 {
		t.Errorf("no event tells that the sandbox changed: %v", err)
	}
}
