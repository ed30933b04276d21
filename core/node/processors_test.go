package node_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/configuration"
)

// TestProcessorsOfTheirOwn: on a node whose kubelet.yaml says so, upstream's CPU manager gives a Guaranteed pod of whole
// processors some that nobody else has; the others share what is left, and are told when that changes.
func TestProcessorsOfTheirOwn(t *testing.T) {
	c := startCluster(t)
	ns := c.namespace(t, "processors")
	did, err := c.Configure(t.Context(), configuration.Files{configuration.Kubelet: []byte(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cpuManagerPolicy: static
cpuManagerReconcilePeriod: 200ms
reservedSystemCPUs: "0"
`)})
	if err != nil || len(did.NewNodes) != 1 || len(did.Restarted) > 0 {
		t.Fatalf("%+v, %v", did, err)
	}
	name, err := c.AddSizedNode(t.Context(), 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.RemoveNode(context.Background(), name)
		if _, err := c.Configure(context.Background(), nil); err != nil {
			t.Error(err)
		}
	})
	n, err := c.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := n.Status.Allocatable.Cpu().Value(); got != 3 || n.Status.Capacity.Cpu().Value() != 4 {
		t.Errorf("allocatable %d of %v", got, n.Status.Capacity.Cpu())
	}
	// Each says, whenever it is asked, which it has.
	run := func(pod, cpu string) {
		t.Helper()
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: pod}, Spec: corev1.PodSpec{
			NodeName: name, TerminationGracePeriodSeconds: new(int64), RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{Name: "main", Image: "busybox", Command: []string{"sleep", "3600"}}},
		}}
		if cpu != "" {
			p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("32Mi"),
			}
		}
		if _, err := c.CoreV1().Pods(ns).Create(t.Context(), p, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	has := func(pod, want string) {
		t.Helper()
		c.until(t, ns, pod, "ready", ready)
		const ask = "cat /sys/fs/cgroup/cpuset.cpus.effective; nproc; grep Cpus_allowed_list /proc/self/status | cut -f 2"
		for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
			got, err := c.exec(t, ns, pod, "main", "sh", "-c", ask)
			if got == want {
				return
			}
			if err != nil || time.Now().After(deadline) {
				t.Fatalf("%s has %q and not %q, %v", pod, got, want, err)
			}
		}
	}
	run("shared", "")
	has("shared", "0-3\n4\n0-3\n")
	run("own", "2")
	has("own", "1-2\n2\n1-2\n")
	has("shared", "0,3\n2\n0,3\n") // it is told
	run("part", "500m")
	has("part", "0,3\n2\n0,3\n")
	text, err := os.ReadFile(filepath.Join(c.dir, "nodes", name, "var/lib/kubelet/cpu_manager_state"))
	if err != nil || !strings.Contains(string(text), `"policyName":"static"`) || !strings.Contains(string(text), `"main":"1-2"`) {
		t.Errorf("the checkpoint says %s, %v", text, err)
	}
	run("too-many", "2")
	refused := c.until(t, ns, "too-many", "refused", func(p *corev1.Pod) bool { return p != nil && p.Status.Phase == corev1.PodFailed })
	if refused.Status.Reason != "OutOfcpu" && refused.Status.Reason != "UnexpectedAdmissionError" {
		t.Errorf("%+v", refused.Status)
	}
	if err := c.CoreV1().Pods(ns).Delete(t.Context(), "own", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	c.until(t, ns, "own", "gone", gone)
	run("next", "1")
	has("next", "1\n1\n1\n")
	has("shared", "0,2-3\n3\n0,2-3\n")
}
