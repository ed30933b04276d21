package node_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestANodeIsShutDown: its pods end by priority, critical ones after all others, each with its grace; what they say
// of that is upstream's, and so is what the node says. It takes no pod meanwhile. Then it is off, and when it is on
// again it takes pods.
func TestANodeIsShutDown(t *testing.T) {
	c := startCluster(t)
	c.namespace(t, "shutdown")
	name, err := c.AddSizedNode(t.Context(), 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.RemoveNode(context.Background(), name) })
	grace := int64(2)
	run := func(ns, pod, class, script string) {
		t.Helper()
		if _, err := c.CoreV1().Pods(ns).Create(t.Context(), &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: pod},
			Spec: corev1.PodSpec{
				NodeName: name, PriorityClassName: class, TerminationGracePeriodSeconds: &grace,
				Containers: []corev1.Container{{Name: "main", Image: "busybox", Command: []string{"sh", "-c", script}}},
			},
		}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		c.until(t, ns, pod, "ready", ready)
	}
	// Both need all of their grace, one after the other.
	run("shutdown", "low", "", "trap '' TERM; while true; do sleep 1; done")
	run(metav1.NamespaceSystem, "critical", "system-node-critical", "trap '' TERM; while true; do sleep 1; done")
	t.Cleanup(func() {
		_ = c.CoreV1().Pods(metav1.NamespaceSystem).Delete(context.Background(), "critical", metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
	})

	// A node that has nothing to end has said so, too, when it is off.
	empty, err := c.AddSizedNode(t.Context(), 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.RemoveNode(context.Background(), empty) })
	if err := c.ShutdownNode(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	n, err := c.CoreV1().Nodes().Get(t.Context(), empty, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if said := readiness(n); said.Status != corev1.ConditionFalse || said.Message != "node is shutting down" {
		t.Errorf("a node without pods says %+v", said)
	}

	// A static pod has no grace: it ends with the others, and starts when the node does.
	manifest := `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "static", "namespace": "shutdown"},
		"spec": {"terminationGracePeriodSeconds": 1, "containers": [{"name": "main", "image": "busybox", "command": ["sleep", "3600"]}]}}`
	file := filepath.Join(c.dir, "nodes", name, "etc/kubernetes/manifests/static.json")
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	first := c.until(t, "shutdown", "static-"+name, "ready", ready)

	off := make(chan error, 1)
	go func() { off <- c.ShutdownNode(t.Context(), name) }()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		n, err := c.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if said := readiness(n); said.Status == corev1.ConditionFalse && said.Message == "node is shutting down" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s says %+v", name, readiness(n))
		}
	}
	if err := c.ShutdownNode(t.Context(), name); err == nil || !strings.Contains(err.Error(), "it is ") {
		t.Errorf("shut down twice: %v", err)
	}
	if err := <-off; err != nil {
		t.Fatal(err)
	}
	ended := func(ns, pod string) time.Time {
		t.Helper()
		p := c.until(t, ns, pod, "ended by the shutdown", func(p *corev1.Pod) bool {
			return p != nil && len(p.Status.ContainerStatuses) == 1 && p.Status.ContainerStatuses[0].State.Terminated != nil
		})
		s := p.Status
		if s.Phase != corev1.PodFailed || s.Reason != "Terminated" ||
			s.Message != "Pod was terminated in response to imminent node shutdown." || !condition(p, corev1.DisruptionTarget) {
			text, _ := json.Marshal(s)
			t.Errorf("%s says %s", pod, text)
		}
		return s.ContainerStatuses[0].State.Terminated.FinishedAt.Time
	}
	low, critical := ended("shutdown", "low"), ended(metav1.NamespaceSystem, "critical")
	if critical.Sub(low) < time.Second { // of whole seconds
		t.Errorf("the critical pod ended at %v, the other at %v", critical, low)
	}
	c.eventOf(t, metav1.NamespaceDefault, "Shutdown", name)

	if err := c.HealNode(name); err != nil {
		t.Fatal(err)
	}
	c.until(t, "shutdown", "static-"+name, "started by the boot", func(p *corev1.Pod) bool {
		return ready(p) && p.Status.Phase == corev1.PodRunning && p.Status.ContainerStatuses[0].ContainerID != first.Status.ContainerStatuses[0].ContainerID
	})
	run("shutdown", "after", "", "trap 'exit 0' TERM; while true; do sleep 0.1; done")
}

func readiness(n *corev1.Node) (of corev1.NodeCondition) {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			of = c
		}
	}
	return of
}
