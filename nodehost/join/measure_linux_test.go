package join

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/remotecommand"
	watchtools "k8s.io/client-go/tools/watch"
)

// measuring is what the role "measure" is told.
type measuring struct {
	Kubeconfig, Node string
	// Pods are created at once in each of Rounds, and deleted again unless they are to be kept. With
	// Exec one pod is created, and Rounds commands are run in it.
	Pods, Rounds int
	Keep, Exec   bool
}

// measure prints lines "sample NAME MILLISECONDS": for each command, or for each pod from its creation
// until the client sees that it is placed, that its sandbox is there, and that it is Ready (no name).
func measure(ctx context.Context, config []byte, ready func()) error {
	var m measuring
	if err := json.Unmarshal(config, &m); err != nil {
		return err
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", m.Kubeconfig)
	if err != nil {
		return err
	}
	cfg.QPS, cfg.Burst = 1000, 1000
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	if m.Exec {
		err = m.exec(ctx, cfg, client)
	} else {
		for range m.Rounds {
			if _, err = m.round(ctx, client, m.Pods, true); err != nil {
				break
			}
			if !m.Keep {
				if err = m.remove(ctx, client); err != nil {
					break
				}
			}
		}
	}
	if err == nil {
		ready()
	}
	return err
}

const measuredLabel = "measured"

// round creates pods at once and waits for each to be Ready.
func (m *measuring) round(ctx context.Context, client kubernetes.Interface, n int, tell bool) (string, error) {
	pods := client.CoreV1().Pods(corev1.NamespaceDefault)
	list := metav1.ListOptions{LabelSelector: measuredLabel}
	now, err := pods.List(ctx, list)
	if err != nil {
		return "", err
	}
	// A watch that does not keep up is ended by the apiserver; this one goes on where it was.
	events, err := watchtools.NewRetryWatcherWithContext(ctx, now.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, more metav1.ListOptions) (watch.Interface, error) {
			more.LabelSelector = measuredLabel
			return pods.Watch(ctx, more)
		},
	})
	if err != nil {
		return "", err
	}
	defer events.Stop()
	began, passed := make(map[string]time.Time, n), map[string]bool{}
	failed := make(chan error, n)
	var last string
	for range n {
		pod := m.pod()
		last = pod.Name
		began[pod.Name] = time.Now()
		go func() {
			if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
				failed <- err
			}
		}()
	}
	for len(began) > 0 {
		var e watch.Event
		select {
		case err := <-failed:
			return "", err
		case <-ctx.Done():
			return "", ctx.Err()
		case e = <-events.ResultChan():
		}
		pod, ok := e.Object.(*corev1.Pod)
		if !ok {
			return "", fmt.Errorf("the watch ended: %v", e)
		}
		since, waiting := began[pod.Name]
		for _, s := range stages {
			if waiting && isTrue(pod, s.condition) && !passed[pod.Name+s.name] {
				passed[pod.Name+s.name] = true
				if tell {
					sample(s.name, since)
				}
			}
		}
		if isTrue(pod, corev1.PodReady) {
			delete(began, pod.Name)
		}
	}
	return last, nil
}

// stages of a pod's start, by the condition that says that one is over.
var stages = []struct {
	name      string
	condition corev1.PodConditionType
}{
	{"_placed", corev1.PodScheduled},
	{"_sandbox", corev1.PodReadyToStartContainers},
	{"", corev1.PodReady},
}

func sample(name string, since time.Time) {
	fmt.Printf("sample %q %.1f\n", name, float64(time.Since(since).Microseconds())/1000)
}

var podNumber int

func (m *measuring) pod() *corev1.Pod {
	podNumber++
	grace := int64(0)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("measured-%d-%d", time.Now().UnixMicro(), podNumber), Labels: map[string]string{measuredLabel: ""}},
		Spec: corev1.PodSpec{
			NodeSelector:                  map[string]string{corev1.LabelHostname: m.Node},
			Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			TerminationGracePeriodSeconds: &grace,
			Containers: []corev1.Container{{Name: "sleep", Image: "busybox", ImagePullPolicy: corev1.PullIfNotPresent,
				Command: []string{"sleep", "3600"}}},
		},
	}
}

func isTrue(p *corev1.Pod, condition corev1.PodConditionType) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == condition {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// remove deletes all that was created, and waits until it has gone.
func (m *measuring) remove(ctx context.Context, client kubernetes.Interface) error {
	pods := client.CoreV1().Pods(corev1.NamespaceDefault)
	list := metav1.ListOptions{LabelSelector: measuredLabel}
	grace := int64(1) // 0 would not wait for the kubelet
	if err := pods.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &grace}, list); err != nil {
		return err
	}
	for {
		left, err := pods.List(ctx, list)
		if err != nil || len(left.Items) == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// exec runs commands in one container, one after the other, as kubectl does.
func (m *measuring) exec(ctx context.Context, cfg *rest.Config, client kubernetes.Interface) error {
	name, err := m.round(ctx, client, 1, false)
	if err != nil {
		return err
	}
	url := client.CoreV1().RESTClient().Post().Resource("pods").Namespace(corev1.NamespaceDefault).Name(name).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{Command: []string{"true"}, Stdout: true}, scheme.ParameterCodec).URL()
	for i := range m.Rounds + 1 {
		began := time.Now()
		executor, err := remotecommand.NewWebSocketExecutor(cfg, "GET", url.String())
		if err != nil {
			return err
		}
		if err := executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: io.Discard}); err != nil {
			return fmt.Errorf("exec: %w", err)
		}
		if i > 0 { // the first one finds the kubelet's certificate out
			sample("", began)
		}
	}
	return m.remove(ctx, client)
}
