package cluster_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/node"
)

// A node's life: added, used, stopped, taken for lost, healed, removed.
func TestNodesComeAndGo(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	client, err := kubernetes.NewForConfig(running.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	name, err := running.AddSizedNode(ctx, 2, 1<<30, 100<<20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = running.RemoveNode(context.WithoutCancel(t.Context()), name) })
	for _, size := range [][3]int64{{-1}, {1 << 62}, {257}, {1, 1}, {1, -1}, {1, 0, 1}, {1, 0, 1 << 62}} {
		if name, err := running.AddSizedNode(ctx, size[0], size[1], size[2]); err == nil || !strings.Contains(err.Error(), "add a node: ") {
			t.Errorf("a node of %v: %s, %v", size, name, err)
		}
	}
	n, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil || n.Status.Capacity.Cpu().Value() != 2 || n.Status.Capacity.Memory().Value() != 1<<30 || n.Status.Capacity.StorageEphemeral().Value() != 100<<20 {
		t.Fatalf("%s: capacity %v, error %v", name, n.Status.Capacity, err)
	}
	if !slices.Contains(running.Nodes(), cluster.NodeStatus{Name: name, State: cluster.NodeRunning}) {
		t.Errorf("%s is not among %v", name, running.Nodes())
	}

	shell := term.Session("nodes")
	run := func(line string) (string, int) {
		var out strings.Builder
		code := shell.Run(ctx, line, kubectl.Streams{Stdout: &out, Stderr: &out})
		return out.String(), code
	}
	if out, code := run(`kubectl run guest --image=busybox --overrides='{"spec":{"nodeName":"` + name + `"}}' -- sh -c 'echo here; sleep 1000'
kubectl wait --for=condition=Ready pod/guest --timeout=60s`); code != 0 {
		t.Fatal(out)
	}
	t.Cleanup(func() { run("kubectl delete pod guest --now --ignore-not-found --wait=false") })

	if err := running.StopNode(name); err != nil {
		t.Fatal(err)
	}
	if out, code := run("kubectl logs guest --request-timeout=10s"); code == 0 || !strings.Contains(out, cluster.ErrStopped.Error()) {
		t.Errorf("logs from a stopped node: exit code %d, %s", code, out)
	}
	guest, err := client.CoreV1().Pods("default").Get(ctx, "guest", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dial := func() error {
		c, err := running.Router().DialContext(ctx, "tcp", net.JoinHostPort(guest.Status.PodIP, "80"))
		if err == nil {
			c.Close()
		}
		return err
	}
	if err := dial(); !errors.Is(err, cluster.ErrStopped) {
		t.Errorf("dial a pod of a stopped node: %v", err)
	}
	ready := func(want corev1.ConditionStatus) func(context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) {
			n, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			i := slices.IndexFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
			return i >= 0 && n.Status.Conditions[i].Status == want, nil
		}
	}
	// Upstream's own grace period: 50 s after the last lease.
	if err := wait.PollUntilContextCancel(ctx, time.Second, true, ready(corev1.ConditionUnknown)); err != nil {
		t.Fatalf("a stopped node is not taken for lost: %v", err)
	}
	if err := running.HealNode(name); err != nil {
		t.Fatal(err)
	}
	if err := wait.PollUntilContextCancel(ctx, time.Second, true, ready(corev1.ConditionTrue)); err != nil {
		t.Fatalf("a healed node does not come back: %v", err)
	}
	if err := dial(); err == nil || errors.Is(err, cluster.ErrStopped) {
		t.Errorf("dial a pod of a healed node, on which nothing listens: %v", err)
	}
	if out, code := run("kubectl logs guest"); code != 0 || out != "here\n" {
		t.Errorf("logs from a healed node: exit code %d, %s", code, out)
	}

	if err := running.RemoveNode(ctx, name); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a removed node: %v", err)
	}
	if p, err := client.CoreV1().Pods("default").Get(ctx, "guest", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the pod of a removed node: %s, %v", p.Status.Phase, err)
	}
	if err := running.StopNode(name); !errors.Is(err, cluster.ErrNoSuchNode) {
		t.Errorf("stop a removed node: %v", err)
	}
	next, err := running.AddNode(ctx, node.Capacity{})
	if err != nil || next == name {
		t.Errorf("the next node is %q, error %v: a number must not come back", next, err)
	}
	if err := running.RemoveNode(ctx, next); err != nil {
		t.Error(err)
	}
}
