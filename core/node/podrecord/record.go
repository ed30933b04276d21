package podrecord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// Record is what a pod showed.
type Record struct {
	// Lines are what changed, in order: READY, STATUS and RESTARTS as kubectl prints them, and the
	// states of the containers. Gone is the line of a pod that was deleted.
	Lines []string
	// At is when each line was seen, since the pod was made.
	At []time.Duration
	// Events are type and reason of the pod's events, each once, sorted.
	Events []string
}

// Gone is the last line of a deleted pod.
const Gone = "gone"

// asTable asks for what `kubectl get` prints, made by the server.
const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io"

// follow calls create once it watches, and seen with each line of the pod that differs from the one
// before, until seen says that this was the last, or ctx ends.
func follow(ctx context.Context, client kubernetes.Interface, namespace, name string, create func() error, seen func(line string) (last bool)) error {
	stream, err := client.CoreV1().RESTClient().Get().Namespace(namespace).Resource("pods").
		SetHeader("Accept", asTable).
		VersionedParams(&metav1.ListOptions{Watch: true, FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()}, metav1.ParameterCodec).
		Param("includeObject", string(metav1.IncludeObject)).
		Stream(ctx)
	if err != nil {
		return fmt.Errorf("watch pod %s: %w", name, err)
	}
	defer stream.Close()
	if err := create(); err != nil {
		return err
	}
	before := ""
	for d := json.NewDecoder(stream); ; {
		var event metav1.WatchEvent
		if err := d.Decode(&event); err != nil {
			if ctx.Err() != nil || errors.Is(err, io.EOF) {
				err = fmt.Errorf("the watch has ended: %w", errors.Join(context.Cause(ctx), err))
			}
			return fmt.Errorf("watch pod %s: after %q: %w", name, before, err)
		}
		line, err := lineOf(event)
		if err != nil {
			return fmt.Errorf("watch pod %s: %w", name, err)
		}
		if line == before {
			continue
		}
		if before = line; seen(line) {
			return nil
		}
	}
}

// lineOf is one line of a record.
func lineOf(event metav1.WatchEvent) (string, error) {
	if event.Type == string(watch.Deleted) {
		return Gone, nil
	}
	if event.Type == string(watch.Error) {
		return "", fmt.Errorf("the server says: %s", event.Object.Raw)
	}
	var table metav1.Table
	if err := json.Unmarshal(event.Object.Raw, &table); err != nil {
		return "", err
	}
	if len(table.Rows) != 1 || len(table.Rows[0].Cells) < 4 {
		return "", fmt.Errorf("%d rows in %s", len(table.Rows), event.Object.Raw)
	}
	var pod corev1.Pod
	if err := json.Unmarshal(table.Rows[0].Object.Raw, &pod); err != nil {
		return "", err
	}
	cells := table.Rows[0].Cells // NAME READY STATUS RESTARTS AGE
	restarts, _, _ := strings.Cut(fmt.Sprint(cells[3]), " (")
	line := fmt.Sprintf("%v %v %s", cells[1], cells[2], restarts)
	if pod.Status.Reason != "" {
		line += " " + string(pod.Status.Phase) + ": " + pod.Status.Reason
	}
	for _, s := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
		line += ", " + s.Name + " " + state(s.State)
		if last := state(s.LastTerminationState); last != "" {
			line += " after " + last
		}
	}
	return line, nil
}

// state is a container's, in a few words.
func state(s corev1.ContainerState) string {
	switch {
	case s.Waiting != nil:
		return "waits: " + s.Waiting.Reason
	case s.Running != nil:
		return "runs"
	case s.Terminated != nil:
		return fmt.Sprintf("ended: %s %d", s.Terminated.Reason, s.Terminated.ExitCode)
	}
	return ""
}

// String is the record as a person reads it, with the seconds since the pod was made.
func (r Record) String() string {
	var b strings.Builder
	for i, line := range r.Lines {
		fmt.Fprintf(&b, "%6.1f  %s\n", r.At[i].Seconds(), line)
	}
	for _, e := range r.Events {
		fmt.Fprintf(&b, "event   %s\n", e)
	}
	return b.String()
}
