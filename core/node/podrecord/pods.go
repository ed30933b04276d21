package podrecord

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"
)

// Pod is a pod whose life is recorded, and what it has to show.
type Pod struct {
	Name string
	// About is what it is an example of.
	About string
	Spec  corev1.PodSpec
	// Delete is the line at which the pod is deleted, if any, once it has its events: it would else be a
	// race whether the kubelet comes to them.
	Delete string
	// Lines are what it shows, as Record has them; the record ends with the last. Those that begin
	// with "maybe " are too short to be seen each time: who writes a pod's status may take two
	// changes together.
	Lines []string
	// Events are those that it has when the last line is seen, or soon after; of one that is deleted, before.
	Events []string
	// Long says that it takes more than half a minute.
	Long bool
	// OnlyOn is the one kind of node that shows it, and Why says why the other does not. Empty is both.
	OnlyOn Kind
	Why    string
}

// Kind is a kind of node.
type Kind string

// The kinds of nodes.
const (
	Real  Kind = "real"
	InTab Kind = "in-tab"
)

//go:embed pods.yaml
var data []byte

// Pods are those of pods.yaml that such a node shows; long says whether those are wanted that take long.
func Pods(on Kind, long bool) ([]Pod, error) {
	var pods []Pod
	if err := yaml.UnmarshalStrict(data, &pods); err != nil {
		return nil, fmt.Errorf("pods.yaml: %w", err)
	}
	return slices.DeleteFunc(pods, func(p Pod) bool {
		return p.OnlyOn != "" && p.OnlyOn != on || p.Long && !long
	}), nil
}

const maybe = "maybe "

// Run makes the pod on a node, records what it shows until its last line has been seen, or ctx ends,
// and deletes it. The record is what there is, with an error too.
func (p Pod) Run(ctx context.Context, client kubernetes.Interface, namespace, node string) (Record, error) {
	var r Record
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: namespace}, Spec: *p.Spec.DeepCopy()}
	pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: node}
	pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	seconds := int64(1)
	pod.Spec.TerminationGracePeriodSeconds = &seconds
	for i := range pod.Spec.Containers {
		pod.Spec.Containers[i].ImagePullPolicy = corev1.PullIfNotPresent
	}
	for i := range pod.Spec.InitContainers {
		pod.Spec.InitContainers[i].ImagePullPolicy = corev1.PullIfNotPresent
	}

	pods := client.CoreV1().Pods(namespace)
	defer func() {
		_ = pods.Delete(context.WithoutCancel(ctx), p.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
	}()
	begin := time.Now()
	create := func() (err error) {
		if pod, err = pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create pod %s: %w", p.Name, err)
		}
		return nil
	}
	var deleting error
	err := follow(ctx, client, namespace, p.Name, create, func(line string) bool {
		r.Lines = append(r.Lines, line)
		r.At = append(r.At, time.Since(begin))
		if line == p.Delete {
			if _, deleting = p.events(ctx, client, pod); deleting == nil {
				deleting = pods.Delete(ctx, p.Name, metav1.DeleteOptions{})
			}
		}
		return deleting != nil || line == p.Lines[len(p.Lines)-1]
	})
	if err = errors.Join(err, deleting); pod == nil || pod.UID == "" {
		return r, err
	}
	var failed error
	r.Events, failed = p.events(ctx, client, pod)
	return r, errors.Join(err, failed)
}

// events waits until the pod has the events that it has to have, and returns those it has.
func (p Pod) events(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod) ([]string, error) {
	for {
		list, err := client.CoreV1().Events(pod.Namespace).List(context.WithoutCancel(ctx), metav1.ListOptions{FieldSelector: "involvedObject.uid=" + string(pod.UID)})
		if err != nil {
			return nil, fmt.Errorf("events of pod %s: %w", p.Name, err)
		}
		var got []string
		for _, e := range list.Items {
			if !late(e) {
				got = append(got, e.Type+" "+e.Reason)
			}
		}
		slices.Sort(got)
		got = slices.Compact(got)
		if len(p.missing(got)) == 0 {
			return got, nil
		}
		select {
		case <-ctx.Done():
			return got, nil // Differences names what is missing
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// late is true for the event of a kubelet whose cache of a ConfigMap or Secret was not filled within a
// second, as on a busy machine; it tries again. (kubelet/util/manager, watch_based_manager.go)
func late(e corev1.Event) bool {
	return e.Reason == "FailedMount" && strings.Contains(e.Message, " cache: timed out waiting for the condition")
}

func (p Pod) missing(events []string) []string {
	return slices.DeleteFunc(slices.Clone(p.Events), func(e string) bool {
		return slices.Contains(events, e) || strings.HasPrefix(e, maybe)
	})
}

// Differences tells what of the record is not as pods.yaml has it; empty if all of it is.
func (p Pod) Differences(r Record) string {
	var b strings.Builder
	want := p.Lines
	for _, line := range r.Lines {
		for len(want) > 0 && want[0] != line && want[0] != maybe+line && strings.HasPrefix(want[0], maybe) {
			want = want[1:]
		}
		if len(want) == 0 || strings.TrimPrefix(want[0], maybe) != line {
			fmt.Fprintf(&b, "it shows   %s\n", line)
			if len(want) > 0 {
				fmt.Fprintf(&b, "instead of %s\n", want[0])
			}
			break
		}
		want = want[1:]
	}
	want = slices.DeleteFunc(slices.Clone(want), func(line string) bool { return strings.HasPrefix(line, maybe) })
	if b.Len() == 0 && len(want) > 0 {
		fmt.Fprintf(&b, "it never shows %s\n", want[0])
	}
	for _, e := range p.missing(r.Events) {
		fmt.Fprintf(&b, "no event %s\n", e)
	}
	for _, e := range r.Events {
		if !slices.Contains(p.Events, e) && !slices.Contains(p.Events, maybe+e) {
			fmt.Fprintf(&b, "an event %s\n", e)
		}
	}
	return b.String()
}
