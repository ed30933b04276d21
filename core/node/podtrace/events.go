package podtrace

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/events"

	"github.com/tabernetes/tabernetes/core/trace"
)

var eventKind = declare("event", "k8s.io/client-go/tools/record", "recorderImpl.generateEvent", "event := recorder.makeEvent(")

// Recorder tells of the events that the kubelet records about pods: what it refuses, what fails, how
// long it will wait before it tries again.
func (t *Tap) Recorder(r record.EventRecorderLogger) record.EventRecorderLogger {
	if t == nil {
		return r
	}
	return recorder{r, t}
}

type recorder struct {
	record.EventRecorderLogger
	tap *Tap
}

// WithLogger implements record.EventRecorderLogger.
func (r recorder) WithLogger(logger klog.Logger) record.EventRecorderLogger {
	return recorder{r.EventRecorderLogger.WithLogger(logger), r.tap}
}

// Event implements record.EventRecorder.
func (r recorder) Event(object runtime.Object, kind, reason, message string) {
	r.EventRecorderLogger.Event(object, kind, reason, message)
	r.tap.event(object, kind, reason, message)
}

// Eventf implements record.EventRecorder.
func (r recorder) Eventf(object runtime.Object, kind, reason, format string, args ...any) {
	r.EventRecorderLogger.Eventf(object, kind, reason, format, args...)
	r.tap.event(object, kind, reason, fmt.Sprintf(format, args...))
}

// AnnotatedEventf implements record.EventRecorder.
func (r recorder) AnnotatedEventf(object runtime.Object, annotations map[string]string, kind, reason, format string, args ...any) {
	r.EventRecorderLogger.AnnotatedEventf(object, annotations, kind, reason, format, args...)
	r.tap.event(object, kind, reason, fmt.Sprintf(format, args...))
}

type eventDetails struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// Field is the part of the pod that it is about: "spec.containers{nginx}".
	Field string `json:"field,omitempty"`
	// Same is how many of a probe came out the same before it, since one was told.
	Same int `json:"sameBefore,omitempty"`
}

// wordy are the reasons whose messages may have a command in them, or what it wrote: of probes and
// hooks. Their first words are kept.
var wordy = map[string]bool{
	events.ContainerUnhealthy: true, events.ContainerProbeWarning: true,
	events.FailedPostStartHook: true, events.FailedPreStopHook: true,
}

func (t *Tap) event(object runtime.Object, kind, reason, message string) {
	var pod corev1.Pod
	d := eventDetails{Type: kind, Reason: trace.Text(reason)}
	switch o := object.(type) {
	case *corev1.Pod:
		pod.Namespace, pod.Name, pod.UID = o.Namespace, o.Name, o.UID
	case *corev1.ObjectReference:
		if o.Kind != "Pod" {
			return
		}
		pod.Namespace, pod.Name, pod.UID, d.Field = o.Namespace, o.Name, o.UID, trace.Text(o.FieldPath)
	default:
		return
	}
	if wordy[reason] {
		message, _, _ = strings.Cut(message, ":")
	}
	d.Message = trace.Failure(message)
	step := trace.Step{At: time.Now(), Kind: eventKind, Cause: trace.Marked()}
	if reason == events.ContainerUnhealthy {
		probe, _, _ := strings.Cut(message, " ")
		_, container, _ := strings.Cut(strings.TrimSuffix(d.Field, "}"), "{")
		tell, same := t.repeats.Tell(probeKey(string(pod.UID), container, probe), d.Message)
		if tell {
			step.ID = t.bus.Reserve()
		}
		t.failed(string(pod.UID), step.ID)
		if !tell {
			return
		}
		d.Same = same
	}
	t.mu.Lock()
	admission := t.know(pod.Namespace, pod.Name, string(pod.UID)).recorded(t.bus, kind, reason, d.Message)
	t.mu.Unlock()
	if admission != nil {
		t.tell(*admission)
	}
	step.Details = d
	t.tellOf(&pod, step)
}

// failed has a pod's next sync come of a probe that failed, which is step id, or 0 if it came out as the one before
// and is not told: the kubelet counts it all the same (failureThreshold).
func (t *Tap) failed(uid string, id trace.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	state := t.pods[uid]
	if state == nil {
		return
	}
	if id == 0 {
		id = state.last
	} else {
		state.noticed = id
	}
	state.learned(id, true)
}
