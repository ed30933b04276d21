package cluster_test

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/cluster"
)

// The files that the cluster of these tests starts with: each changes something that only its own
// test looks at.
const (
	schedulerConfig = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
- schedulerName: packed
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
`
	admissionConfig = `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    exemptions: {namespaces: [exempt]}
`
)

// TestConfigurationFiles sees the effect of both files, and that the check of them agrees.
func TestConfigurationFiles(t *testing.T) {
	scheduling, admission := cluster.Options{
		SchedulerConfig: []byte(schedulerConfig), AdmissionConfig: []byte(admissionConfig),
	}.ConfigErrors(t.Context())
	if scheduling != nil || admission != nil {
		t.Fatal(scheduling, admission)
	}
	client, err := kubernetes.NewForConfig(running.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	privileged := true
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec: corev1.PodSpec{SchedulerName: "packed", Containers: []corev1.Container{{
			Name: "c", Image: "pause", SecurityContext: &corev1.SecurityContext{Privileged: &privileged},
		}}},
	}
	for name, refused := range map[string]bool{"exempt": false, "strict": true} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "baseline"},
		}}
		if _, err := client.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			// t's own context is done by now.
			if err := client.CoreV1().Namespaces().Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		})
		var created error
		err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
			_, created = client.CoreV1().Pods(name).Create(ctx, pod, metav1.CreateOptions{})
			// A new namespace gets its service account a moment later.
			return created == nil || !strings.Contains(created.Error(), "serviceaccount"), nil
		})
		if err != nil {
			t.Fatalf("%v: %v", err, created)
		}
		if got := created != nil && strings.Contains(created.Error(), "violates PodSecurity"); got != refused {
			t.Errorf("in %s: %v", name, created)
		}
	}
	err = wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		p, err := client.CoreV1().Pods("exempt").Get(ctx, "p", metav1.GetOptions{})
		return err == nil && p.Spec.NodeName != "", err
	})
	if err != nil {
		t.Errorf("the second profile did not schedule: %v", err)
	}
}
