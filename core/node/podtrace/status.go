package podtrace

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/util"

	"github.com/tabernetes/tabernetes/core/trace"
)

var statusKind = declare("status", kubelet+"/status", "manager.syncPod", "statusutil.PatchPodStatus(")

// Transport gives the kubelet's requests about a pod their cause: the status manager writes in its own
// time, in a goroutine of its own.
func (t *Tap) Transport(next http.RoundTripper) http.RoundTripper {
	if t == nil {
		return next
	}
	return &transport{next, t}
}

type transport struct {
	next http.RoundTripper
	tap  *Tap
}

// RoundTrip implements http.RoundTripper.
func (r *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	namespace, name, status, ok := podPath(req.URL.Path)
	if !ok || trace.Cause(req.Context()) != 0 {
		return r.next.RoundTrip(req)
	}
	r.tap.mu.Lock()
	state := r.tap.names[namespace+"/"+name]
	if state == nil {
		r.tap.mu.Unlock()
		return r.next.RoundTrip(req)
	}
	id := state.writes()
	writes := status && req.Method == http.MethodPatch
	if writes {
		state.write.cause, state.write.began = id, time.Now()
		id = r.tap.bus.Reserve()
		state.write.id = id
	}
	r.tap.mu.Unlock()
	response, err := r.next.RoundTrip(req.WithContext(trace.With(req.Context(), id)))
	if writes && (err != nil || response.StatusCode >= http.StatusBadRequest) {
		text := ""
		if err != nil {
			text = err.Error()
		} else {
			text = response.Status
		}
		r.tap.wrote(state, statusDetails{Error: trace.Text(text)})
	}
	return response, err
}

// WrappedRoundTripper lets client-go find the transport below.
func (r *transport) WrappedRoundTripper() http.RoundTripper { return r.next }

// podPath takes /api/v1/namespaces/N/pods/P and …/status apart.
func podPath(path string) (namespace, name string, status, ok bool) {
	rest, found := strings.CutPrefix(path, "/api/v1/namespaces/")
	if !found {
		return "", "", false, false
	}
	parts := strings.Split(rest, "/")
	switch {
	case len(parts) < 3 || len(parts) > 4 || parts[1] != "pods":
		return "", "", false, false
	case len(parts) == 4 && parts[3] != "status":
		return "", "", false, false
	}
	return parts[0], parts[2], len(parts) == 4, true
}

// statusDetails are what the kubelet says of a pod.
type statusDetails struct {
	Phase      string   `json:"phase,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Message    string   `json:"message,omitempty"`
	PodIP      string   `json:"podIP,omitempty"`
	Conditions []string `json:"conditions,omitempty"` // "Ready=True"
	Containers []string `json:"containers,omitempty"` // "nginx: running, ready, 0 restarts"
	Error      string   `json:"error,omitempty"`
}

// Latency tells of each status that the API has taken; upstream's tracker measures how long a pod
// takes by the same call.
func (t *Tap) Latency(l util.PodStartupLatencyTracker) util.PodStartupLatencyTracker {
	if t == nil {
		return l
	}
	return latency{l, t}
}

type latency struct {
	util.PodStartupLatencyTracker
	tap *Tap
}

// RecordStatusUpdated implements util.PodStartupLatencyTracker.
func (l latency) RecordStatusUpdated(pod *corev1.Pod) {
	l.PodStartupLatencyTracker.RecordStatusUpdated(pod)
	d := statusDetails{
		Phase: string(pod.Status.Phase), Reason: trace.Text(pod.Status.Reason), Message: trace.Text(pod.Status.Message), PodIP: pod.Status.PodIP,
	}
	for _, c := range pod.Status.Conditions {
		d.Conditions = appendName(d.Conditions, string(c.Type)+"="+string(c.Status))
	}
	for _, list := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, c := range list {
			d.Containers = appendName(d.Containers, containerState(c))
		}
	}
	l.tap.mu.Lock()
	state := l.tap.know(pod.Namespace, pod.Name, string(pod.UID))
	l.tap.mu.Unlock()
	l.tap.wrote(state, d)
}

// wrote tells of a write of a pod's status.
func (t *Tap) wrote(state *podState, d statusDetails) {
	t.mu.Lock()
	w := state.write
	state.write.id = 0
	if w.id == 0 { // whose request was not seen
		w.id, w.cause, w.began = t.bus.Reserve(), state.writes(), time.Now()
	}
	s := trace.Step{ID: w.id, At: w.began, Kind: statusKind, Object: state.object(), Cause: w.cause, Inferred: w.cause != 0, Details: d}
	t.mu.Unlock()
	t.tell(s)
}

func containerState(c corev1.ContainerStatus) string {
	text := "waiting"
	switch {
	case c.State.Running != nil:
		text = "running"
	case c.State.Terminated != nil:
		text = fmt.Sprintf("terminated with %d", c.State.Terminated.ExitCode)
	case c.State.Waiting != nil && c.State.Waiting.Reason != "":
		text = "waiting: " + c.State.Waiting.Reason
	}
	if c.Ready {
		text += ", ready"
	}
	return fmt.Sprintf("%s: %s, %d restarts", c.Name, text, c.RestartCount)
}
