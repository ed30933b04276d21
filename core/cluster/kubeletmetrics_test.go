package cluster_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// The kubelets of one process each serve what is theirs: logs, volumes, containers and probes of their own pods, and what
// they have counted.
func TestKubeletsHaveMetricsOfTheirOwn(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	client, err := kubernetes.NewForConfig(running.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	nodes := []string{"node-1", "node-2", "node-3"}
	grace := int64(1)
	for _, node := range nodes {
		name := "measured-" + node
		claim := &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Mi")}},
			},
		}
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.PodSpec{
				NodeSelector: map[string]string{corev1.LabelHostname: node}, TerminationGracePeriodSeconds: &grace,
				Containers: []corev1.Container{{
					Name: "main", Image: "busybox", Command: []string{"sh", "-c", "echo said; sleep 1000"},
					ReadinessProbe: &corev1.Probe{PeriodSeconds: 1, ProbeHandler: corev1.ProbeHandler{
						Exec: &corev1.ExecAction{Command: []string{"true"}},
					}},
					VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}},
				}},
				Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
					PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name},
				}}},
			},
		}
		if _, err := client.CoreV1().PersistentVolumeClaims("default").Create(ctx, claim, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx := context.WithoutCancel(ctx)
			_ = client.CoreV1().Pods("default").Delete(ctx, name, metav1.DeleteOptions{})
			_ = client.CoreV1().PersistentVolumeClaims("default").Delete(ctx, name, metav1.DeleteOptions{})
		})
	}
	for _, node := range nodes {
		var wrong []string
		// Statistics of volumes are made once a minute.
		if err := wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
			wrong = nil
			for path, metrics := range map[string][][2]string{
				"proxy/metrics": {
					{"kubelet_container_log_filesystem_used_bytes", "pod"},
					{"kubelet_volume_stats_used_bytes", "persistentvolumeclaim"},
				},
				"proxy/metrics/cadvisor": {
					{"container_memory_working_set_bytes", "pod"},
					{"container_cpu_usage_seconds_total", "pod"},
					{"container_network_receive_bytes_total", "pod"},
				},
				"proxy/metrics/probes": {{"prober_probe_total", "pod"}, {"prober_probe_duration_seconds_count", "pod"}},
			} {
				raw, err := client.CoreV1().RESTClient().Get().AbsPath("/api/v1/nodes", node, path).DoRaw(ctx)
				if err != nil {
					return false, err
				}
				for _, of := range metrics {
					var seen []string
					for _, line := range regexp.MustCompile(`(?m)^`+of[0]+`\{.*`+of[1]+`="(measured-[^"]*)"`).FindAllStringSubmatch(string(raw), -1) {
						seen = append(seen, line[1])
					}
					if !slices.Equal(slices.Compact(seen), []string{"measured-" + node}) {
						wrong = append(wrong, fmt.Sprintf("%s of %v", of[0], seen))
					}
				}
				if path == "proxy/metrics" {
					wrong = append(wrong, notAlone(string(raw), node)...)
				}
			}
			return wrong == nil, nil
		}); err != nil {
			t.Errorf("%s: %s: %v", node, strings.Join(wrong, ", "), err)
		}
	}
	// The API server's own have nothing of a kubelet's state.
	raw, err := client.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil || strings.Contains(string(raw), "\nkubelet_") {
		t.Errorf("the API server tells what a kubelet measures, or: %v", err)
	}
}

// notAlone is what /metrics of a node has that it would not have if its kubelet were alone in its process, or lacks.
func notAlone(served, node string) (wrong []string) {
	for _, want := range []string{
		`kubelet_node_name{node="` + node + `"} 1`,
		`kubelet_started_pods_total [1-9]`, `kubelet_running_pods [1-9]`, `kubelet_runtime_operations_total\{operation_type="create_container"\} [1-9]`,
		`kubelet_pod_start_duration_seconds_count [1-9]`, `storage_operation_duration_seconds_count\{.*operation_name="volume_mount".*\} [1-9]`,
		`rest_client_requests_total\{.*\} [1-9]`, `go_goroutines [1-9]`,
	} {
		if !regexp.MustCompile(`(?m)^` + want).MatchString(served) {
			wrong = append(wrong, "no "+want)
		}
	}
	if n := strings.Count(served, "kubelet_node_name{"); n != 1 {
		wrong = append(wrong, fmt.Sprintf("%d names of nodes", n))
	}
	if other := regexp.MustCompile(`(?m)^(apiserver|scheduler|etcd|job_controller|aggregator)_[a-z_]*`).FindString(served); other != "" {
		wrong = append(wrong, other)
	}
	if other := regexp.MustCompile(`(?m)^workqueue_.*name="(deployment|replicaset|job|garbage_collector[^"]*)"`).FindString(served); other != "" {
		wrong = append(wrong, other)
	}
	return wrong
}
