package node_test

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/configuration"
)

// TestLimitsOfTheOwners: what kubelet.yaml says of evictions, of how many pods a node takes and of processor time holds
// on nodes that are added from then on, by upstream's kubelet.
func TestLimitsOfTheOwners(t *testing.T) {
	c := startCluster(t)
	ns := c.namespace(t, "limits")
	const file = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
evictionHard: {nodefs.available: 32700Mi} # of 32 GiB
evictionPressureTransitionPeriod: 1s
maxPods: 3
cpuCFSQuota: false
registerWithTaints: [{key: limits, effect: NoSchedule}]
`
	if _, err := c.Configure(t.Context(), configuration.Files{configuration.Kubelet: []byte(file)}); err != nil {
		t.Fatal(err)
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
	if s := n.Status; s.Capacity.Pods().Value() != 3 || s.Allocatable.StorageEphemeral().Value() != 68<<20 || s.Allocatable.Memory().Value() != s.Capacity.Memory().Value() {
		t.Errorf("capacity %v, allocatable %v", s.Capacity, s.Allocatable)
	}
	if len(n.Spec.Taints) == 0 || n.Spec.Taints[0].Key != "limits" {
		t.Errorf("taints %v", n.Spec.Taints)
	}

	// A file that the nodes which are there could not start with is refused.
	_, err = c.Configure(t.Context(), configuration.Files{configuration.Kubelet: []byte(strings.Replace(file, "32700Mi", "33Gi", 1))})
	if err == nil || !strings.Contains(err.Error(), "33Gi of ephemeral-storage are kept from pods") {
		t.Errorf("more than there is: %v", err)
	}

	limit := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "unthrottled"}, Spec: corev1.PodSpec{
		NodeName: name, TerminationGracePeriodSeconds: new(int64),
		Containers: []corev1.Container{{
			Name: "main", Image: "busybox", Command: []string{"sleep", "3600"},
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}},
		}},
	}}
	if _, err := c.CoreV1().Pods(ns).Create(t.Context(), limit, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	c.until(t, ns, "unthrottled", "ready", ready)
	if got, err := c.exec(t, ns, "unthrottled", "main", "cat", "/sys/fs/cgroup/cpu.max"); err != nil || !strings.HasPrefix(got, "max ") {
		t.Errorf("cpu.max is %q, %v", got, err)
	}
	c.onNode(t, ns, "keeps", name, "busybox", "sleep 3600", corev1.RestartPolicyAlways)
	c.until(t, ns, "keeps", "ready", ready)
	c.onNode(t, ns, "fills", name, "busybox", "head -c 100M /dev/zero >/tmp/a; sleep 3600", corev1.RestartPolicyNever)
	c.onNode(t, ns, "fourth", name, "busybox", "sleep 3600", corev1.RestartPolicyNever)
	fourth := c.until(t, ns, "fourth", "refused", func(p *corev1.Pod) bool { return p != nil && p.Status.Phase == corev1.PodFailed })
	if fourth.Status.Reason != "OutOfpods" {
		t.Errorf("a fourth pod says %+v", fourth.Status)
	}
	filled := c.until(t, ns, "fills", "evicted", func(p *corev1.Pod) bool { return p != nil && p.Status.Phase == corev1.PodFailed })
	if s := filled.Status; s.Reason != "Evicted" || !strings.Contains(s.Message, "ephemeral-storage. Threshold quantity: 32700Mi") {
		t.Errorf("it ended as %s: %s", s.Reason, s.Message)
	}
	c.until(t, ns, "keeps", "there still", ready)
}
