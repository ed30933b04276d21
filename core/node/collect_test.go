package node_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	statsapi "k8s.io/kubelet/pkg/apis/stats/v1alpha1"

	"github.com/tabernetes/tabernetes/core/node"
)

// onNode makes a pod of one container that runs a script of busybox's shell.
func (c *control) onNode(t *testing.T, ns, name, on, image, script string, restart corev1.RestartPolicy) {
	t.Helper()
	grace := int64(1)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{
		NodeName: on, RestartPolicy: restart, TerminationGracePeriodSeconds: &grace,
		Volumes: []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
		Containers: []corev1.Container{{
			Name: "main", Image: image, VolumeMounts: []corev1.VolumeMount{{Name: "scratch", MountPath: "/scratch"}},
		}},
	}}
	if script != "" {
		pod.Spec.Containers[0].Command = []string{"sh", "-c", script}
	}
	if _, err := c.CoreV1().Pods(ns).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// TestDeadContainersAreCollected: of a container that was started again and again the kubelet keeps the last one,
// for its log.
func TestDeadContainersAreCollected(t *testing.T) {
	c := startCluster(t)
	ns := c.namespace(t, "dead-containers")
	c.onNode(t, ns, "again", "node-1", "busybox", "exit 1", corev1.RestartPolicyAlways)
	var seen []string // containers that had ended
	p := c.until(t, ns, "again", "started three times", func(p *corev1.Pod) bool {
		if p == nil || len(p.Status.ContainerStatuses) == 0 {
			return false
		}
		s := p.Status.ContainerStatuses[0]
		if last := s.LastTerminationState.Terminated; last != nil && !slices.Contains(seen, last.ContainerID) {
			seen = append(seen, last.ContainerID)
		}
		return s.RestartCount >= 2 && len(seen) >= 2
	})
	there := func(id string) bool {
		_, name, _ := strings.Cut(id, "://")
		_, err := os.Stat(filepath.Join(c.dir, "nodes/node-1/var/lib/containerd/containers", name))
		return err == nil
	}
	last := p.Status.ContainerStatuses[0].LastTerminationState.Terminated.ContainerID
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		return !slices.ContainsFunc(seen, func(id string) bool { return id != last && there(id) }), nil
	})
	if err != nil {
		t.Errorf("of %v there is more than the last one", seen)
	}
}

// TestAFullDisk: at upstream's threshold of the node's disk the kubelet has the pod go that has filled it, and no
// other one, and removes images that no container uses once they are old enough.
func TestAFullDisk(t *testing.T) {
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("`make test-long` runs it: the kubelet measures volumes once a minute, and images have to be two minutes old")
	}
	c := startCluster(t)
	ns := c.namespace(t, "unused-images")
	ctx := t.Context()
	small, err := c.AddNode(ctx, node.Capacity{EphemeralStorageBytes: 200 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.RemoveNode(context.WithoutCancel(ctx), small); err != nil {
			t.Error(err)
		}
	})
	images := func() string {
		n, err := c.CoreV1().Nodes().Get(ctx, small, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, i := range n.Status.Images {
			all = append(all, i.Names...)
		}
		return strings.Join(all, " ")
	}
	await := func(what string, is func() bool) {
		t.Helper()
		err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 4*patience, true, func(context.Context) (bool, error) { return is(), nil })
		if err != nil {
			t.Fatalf("waiting until %s: %v; images %s", what, err, images())
		}
	}
	c.onNode(t, ns, "keeps", small, "busybox", "sleep 3600", corev1.RestartPolicyAlways)
	c.onNode(t, ns, "goes", small, "nginx", "", corev1.RestartPolicyAlways)
	c.until(t, ns, "keeps", "ready", ready)
	c.until(t, ns, "goes", "ready", ready)
	await("the node says what it has", func() bool { return strings.Contains(images(), "nginx") })
	if err := c.CoreV1().Pods(ns).Delete(ctx, "goes", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	c.until(t, ns, "goes", "gone", gone)

	c.onNode(t, ns, "fills", small, "busybox", "head -c 150M /dev/zero >/scratch/a; until [ -e /scratch/go ]; do sleep 0.2; done; head -c 28M /dev/zero >/scratch/b; sleep 3600", corev1.RestartPolicyNever)
	c.until(t, ns, "fills", "ready", ready)
	await("the kubelet knows what the volume holds", func() bool {
		text, err := c.CoreV1().RESTClient().Get().AbsPath("/api/v1/nodes", small, "proxy/stats/summary").DoRaw(ctx)
		var summary statsapi.Summary
		if err != nil || json.Unmarshal(text, &summary) != nil {
			return false
		}
		return slices.ContainsFunc(summary.Pods, func(p statsapi.PodStats) bool {
			return p.PodRef.Name == "fills" && slices.ContainsFunc(p.VolumeStats, func(v statsapi.VolumeStats) bool {
				return v.Name == "scratch" && v.UsedBytes != nil && *v.UsedBytes >= 150<<20
			})
		})
	})
	if _, err := c.exec(t, ns, "fills", "main", "touch", "/scratch/go"); err != nil {
		t.Fatal(err)
	}
	p := c.until(t, ns, "fills", "evicted", func(p *corev1.Pod) bool { return p != nil && p.Status.Phase == corev1.PodFailed })
	if p.Status.Reason != "Evicted" || !strings.Contains(p.Status.Message, "ephemeral-storage") {
		t.Errorf("it ended as %s: %s", p.Status.Reason, p.Status.Message)
	}
	if p, err := c.CoreV1().Pods(ns).Get(ctx, "keeps", metav1.GetOptions{}); err != nil || p.Status.Phase != corev1.PodRunning {
		t.Errorf("the pod that fills nothing: %v, %v", p.Status, err)
	}

	full := filepath.Join(c.dir, "nodes", small, "full")
	if err := os.WriteFile(full, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(full, 178<<20); err != nil {
		t.Fatal(err)
	}
	await("the image that nobody uses is gone", func() bool { return !strings.Contains(images(), "nginx") })
}
