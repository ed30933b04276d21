package node_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/util/exec"
	"sigs.k8s.io/yaml"
)

func tokenRequest() *authenticationv1.TokenRequest { return &authenticationv1.TokenRequest{} }

// everything is a pod with each kind of volume that an in-tab node mounts, an
// init container that hands something over, and a readiness probe.
const everything = `
metadata: {name: everything, labels: {app: demo}}
spec:
  nodeName: node-2
  terminationGracePeriodSeconds: 1
  initContainers:
  - name: init
    image: busybox
    command: [sh, -c, "echo from-init > /scratch/greeting"]
    volumeMounts: [{name: scratch, mountPath: /scratch}]
  containers:
  - name: main
    image: busybox
    command: [sh, -c, "sleep 2; touch /memory/ready; sleep 3600"]
    env: [{name: KEY, valueFrom: {configMapKeyRef: {name: cfg, key: key}}}]
    readinessProbe: {exec: {command: [cat, /memory/ready]}, periodSeconds: 1}
    volumeMounts:
    - {name: scratch, mountPath: /scratch}
    - {name: memory, mountPath: /memory}
    - {name: cfg, mountPath: /cfg}
    - {name: cfg, mountPath: /pinned, subPath: key}
    - {name: secret, mountPath: /secret, readOnly: true}
    - {name: info, mountPath: /info}
    - {name: all, mountPath: /all}
    - {name: host, mountPath: /host}
    - {name: scratch, mountPath: /deep, subPath: a/b}
  volumes:
  - {name: scratch, emptyDir: {}}
  - {name: memory, emptyDir: {medium: Memory}}
  - {name: cfg, configMap: {name: cfg}}
  - {name: secret, secret: {secretName: sec}}
  - {name: info, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}
  - name: all
    projected:
      sources: [{configMap: {name: cfg}}, {secret: {name: sec}}, {serviceAccountToken: {path: token}}]
  - {name: host, hostPath: {path: /data, type: DirectoryOrCreate}}
`

func TestPodWithEverything(t *testing.T) {
	c := startCluster(t)
	ns := c.namespace(t, "everything")
	ctx := t.Context()
	cfg := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "cfg"}, Data: map[string]string{"key": "one"}}
	if _, err := c.CoreV1().ConfigMaps(ns).Create(ctx, cfg, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	sec := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "sec"}, StringData: map[string]string{"password": "hunter2"}}
	if _, err := c.CoreV1().Secrets(ns).Create(ctx, sec, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict([]byte(everything), &pod); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CoreV1().Pods(ns).Create(ctx, &pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}

	running := c.until(t, ns, "everything", "running", func(p *corev1.Pod) bool { return p != nil && p.Status.Phase == corev1.PodRunning })
	if ready(running) {
		t.Error("ready before its probe could succeed")
	}
	if !strings.HasPrefix(running.Status.PodIP, "10.244.") || running.Status.HostIP != "172.30.0.12" {
		t.Errorf("addresses: pod %s, host %s", running.Status.PodIP, running.Status.HostIP)
	}
	c.until(t, ns, "everything", "ready", ready)

	for _, check := range []struct{ command, want string }{
		{"cat /scratch/greeting", "from-init\n"},
		{"cat /cfg/key", "one"},
		{"cat /pinned", "one"},
		{"cat /secret/password", "hunter2"},
		{"cat /info/labels", `app="demo"`},
		{"cat /all/key /all/password", "onehunter2"},
		{"test -s /all/token && echo token", "token\n"},
		{"echo $KEY", "one\n"},
		{"echo x > /deep/file; cat /scratch/a/b/file", "x\n"},
		{"echo kept > /host/file; cat /host/file", "kept\n"},
	} {
		if got, err := c.exec(t, ns, "everything", "main", "sh", "-c", check.command); err != nil || got != check.want {
			t.Errorf("%s: %q, %v; want %q", check.command, got, err, check.want)
		}
	}
	var code exec.CodeExitError
	if _, err := c.exec(t, ns, "everything", "main", "sh", "-c", "exit 42"); !errors.As(err, &code) || code.Code != 42 {
		t.Errorf("exit code: %v", err)
	}

	// hostPath is the node's, not the machine's, and outlives the pod.
	if hits := c.find(t, "/data/file"); len(hits) != 1 || !strings.Contains(hits[0], "node-2") {
		t.Errorf("hostPath in the node: %v", hits)
	}
	if _, err := os.Stat("/data/file"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("hostPath on the machine: %v", err)
	}

	begin := time.Now()
	if err := c.CoreV1().Pods(ns).Delete(ctx, "everything", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	c.until(t, ns, "everything", "gone", gone)
	t.Logf("deleted after %v", time.Since(begin).Round(time.Millisecond))
	if dirs := c.find(t, "/pods/"+string(running.UID)+"/volumes/kubernetes.io~secret/secret"); len(dirs) > 0 {
		t.Errorf("volumes left behind: %v", dirs)
	}
}

// Events of the kubelet reach the API: kubectl describe lives on them.
func TestEventsAndProbes(t *testing.T) {
	c := startCluster(t)
	ns := c.namespace(t, "events")
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "web", Image: "nginx",
			ReadinessProbe: &corev1.Probe{
				ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: intstr.FromInt32(80)}},
				PeriodSeconds: 1,
			},
			LivenessProbe: &corev1.Probe{
				ProbeHandler:  corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(81)}},
				PeriodSeconds: 1, FailureThreshold: 3, InitialDelaySeconds: 2,
			},
		}}},
	}
	if _, err := c.CoreV1().Pods(ns).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	c.until(t, ns, "web", "ready", ready)
	c.until(t, ns, "web", "restarted by its liveness probe", func(p *corev1.Pod) bool {
		return p != nil && len(p.Status.ContainerStatuses) == 1 && p.Status.ContainerStatuses[0].RestartCount > 0
	})
	want := map[string]bool{"Scheduled": true, "Pulled": true, "Created": true, "Started": true, "Unhealthy": true, "Killing": true}
	for deadline := time.Now().Add(patience); len(want) > 0; time.Sleep(50 * time.Millisecond) {
		events, err := c.CoreV1().Events(ns).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events.Items {
			delete(want, e.Reason)
		}
		if time.Now().After(deadline) {
			t.Fatalf("events missing: %v", want)
		}
	}
}

// A Job's way: the container ends by itself, the pod succeeds.
func TestPodThatEnds(t *testing.T) {
	c := startCluster(t)
	ns := c.namespace(t, "ends")
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "once"},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "c", Image: "busybox", Command: []string{"sh", "-c", "echo done; exit 3"}}},
		},
	}
	if _, err := c.CoreV1().Pods(ns).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	failed := c.until(t, ns, "once", "failed", func(p *corev1.Pod) bool { return p != nil && p.Status.Phase == corev1.PodFailed })
	if s := failed.Status.ContainerStatuses[0].State.Terminated; s == nil || s.ExitCode != 3 || s.Reason != "Error" {
		t.Errorf("terminated: %+v", s)
	}
	logs, err := c.CoreV1().Pods(ns).GetLogs("once", &corev1.PodLogOptions{}).DoRaw(t.Context())
	if err != nil || string(logs) != "done\n" {
		t.Errorf("logs %q, %v", logs, err)
	}
}
