package cluster_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// atOnce is how many pods come and go together, all on one node: its addresses are 254, so that a
// sixth round has none left if they are not given back.
const atOnce = 50

// held is what the cluster keeps while it has no pods.
type held struct {
	goroutines int
	open       int    // file descriptors
	files      int    // below the nodes' roots
	heap       uint64 // bytes
}

func measure(t *testing.T) (h held) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dataDir, "nodes"), func(_ string, _ fs.DirEntry, err error) error {
		if err == nil {
			h.files++
		}
		return nil // kubelets tidy up meanwhile
	})
	if err != nil {
		t.Fatal(err)
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.open = len(open)
	}
	h.goroutines = runtime.NumGoroutine()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.heap = m.HeapAlloc
	return h
}

// After 200 pods came and went (2,000 in the long lane) goroutines, open files, files, addresses
// and memory are where they were.
func TestPodsComeAndGo(t *testing.T) {
	rounds := 5
	if os.Getenv("TABERNETES_LONG") != "" {
		rounds = 40
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rounds+1)*2*time.Minute)
	defer cancel()
	client, err := kubernetes.NewForConfig(running.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	const ns = "come-and-go"
	if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.CoreV1().Namespaces().Delete(context.WithoutCancel(ctx), ns, metav1.DeleteOptions{})
	})
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}, Data: map[string]string{"colour": "green"}}
	if _, err := client.CoreV1().ConfigMaps(ns).Create(ctx, settings, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	comeAndGo(ctx, t, client, ns) // what is made once is there then
	before := measure(t)
	for range rounds - 1 {
		comeAndGo(ctx, t, client, ns)
	}
	comeAndGo(ctx, t, client, ns)

	// What pods leave to be tidied up later goes within the kubelets' own minute. Some come and go by
	// themselves: idle connections, timers, a kubelet's work of this moment. One left by each pod is 250.
	const slack = 100
	var after held
	err = wait.PollUntilContextTimeout(ctx, time.Second, 3*time.Minute, true, func(context.Context) (bool, error) {
		after = measure(t)
		return after.goroutines <= before.goroutines+slack && after.open <= before.open+slack && after.files <= before.files+slack, nil
	})
	t.Logf("%d pods: before %+v, after %+v", rounds*atOnce, before, after)
	if err != nil {
		stacks := make([]byte, 4<<20)
		t.Errorf("what %d pods left: before %+v, after %+v\n%s", rounds*atOnce, before, after, most(string(stacks[:runtime.Stack(stacks, true)])))
	}
	// The store's history, its events and the watches' caches have bounds of their own, beyond what
	// these rounds write: so much of them is left by each pod at most.
	const history = 192 << 10
	if limit := before.heap + uint64(rounds*atOnce)*history; after.heap > limit {
		t.Errorf("the heap was %d, is %d", before.heap, after.heap)
	}
}

// comeAndGo has pods of a Deployment come, write, and go.
func comeAndGo(ctx context.Context, t *testing.T, client kubernetes.Interface, ns string) {
	t.Helper()
	replicas, grace := int32(atOnce), int64(1)
	labels := map[string]string{"app": "guests"}
	volumes := []corev1.Volume{
		{Name: "work", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		{Name: "settings", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}}}},
	}
	_, err := client.AppsV1().Deployments(ns).Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "guests"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					NodeName: "node-3", TerminationGracePeriodSeconds: &grace, Volumes: volumes,
					Containers: []corev1.Container{{
						Name: "main", Image: "busybox",
						Command: []string{"sh", "-c", "cat /settings/colour > /work/colour; nc -l -p 7 & sleep 1000"},
						VolumeMounts: []corev1.VolumeMount{
							{Name: "work", MountPath: "/work"}, {Name: "settings", MountPath: "/settings"},
						},
					}},
				},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		d, err := client.AppsV1().Deployments(ns).Get(ctx, "guests", metav1.GetOptions{})
		return err == nil && d.Status.AvailableReplicas == replicas, err
	}); err != nil {
		t.Fatalf("%d pods do not come: %v", replicas, err)
	}
	background := metav1.DeletePropagationBackground
	if err := client.AppsV1().Deployments(ns).Delete(ctx, "guests", metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		t.Fatal(err)
	}
	if err := wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		pods, err := client.CoreV1().Pods(ns).List(ctx, metav1.ListOptions{})
		return err == nil && len(pods.Items) == 0, err
	}); err != nil {
		t.Fatalf("%d pods do not go: %v", replicas, err)
	}
}

// most counts goroutines by where they were made, those first of which there are many.
func most(stacks string) string {
	count := map[string]int{}
	for _, s := range strings.Split(stacks, "\n\n") {
		if _, by, ok := strings.Cut(s, "created by "); ok {
			by, _, _ = strings.Cut(by, " in goroutine")
			count[by]++
		}
	}
	var lines strings.Builder
	for by, n := range count {
		if n > 10 {
			fmt.Fprintf(&lines, "%5d %s\n", n, by)
		}
	}
	return lines.String()
}
