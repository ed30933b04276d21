package podtrace

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestARoundComesOfNothing: what the kubelet does every minute is not what the command did that placed the pod.
func TestARoundComesOfNothing(t *testing.T) {
	bus, tap, web := placed()
	seen := last(t, bus, seenKind).ID
	syncs := func(updateType string, end error) trace.ID {
		syncOf(tap, web, updateType, func(context.Context) error { return end })
		return last(t, bus, syncs["syncPod"]).Cause
	}
	comes := func(what string, of trace.ID, updateType string, end error) {
		t.Helper()
		if got := syncs(updateType, end); got != of {
			t.Errorf("%s comes of %d, want %d", what, got, of)
		}
	}
	comes("the first sync", seen, "create", errors.New("not yet"))
	comes("the next try", seen, "sync", nil)
	comes("a round", 0, "sync", nil)

	started := bus.Reserve()
	tap.Changed("uid-of-web", started)
	comes("a sync after a container has changed", started, "sync", nil)
	comes("the round after it", 0, "sync", errors.New("back-off"))
	comes("a try after a round that failed", 0, "sync", nil)

	// What changes while one runs is for the next.
	exited := bus.Reserve()
	tap.Changed("uid-of-web", bus.Reserve())
	syncOf(tap, web, "sync", func(context.Context) error { tap.Changed("uid-of-web", exited); return nil })
	comes("a sync after a change during one", exited, "sync", nil)

	var logger klog.Logger
	syncOf(tap, web, "update", func(ctx context.Context) error { logger = klog.FromContext(ctx); return nil })
	logger.V(3).Info("Probe succeeded", "probeType", probeType(1), "podUID", web.UID, "containerName", "nginx")
	comes("a sync of a probe that succeeds", last(t, bus, probeKind).ID, "sync", nil)
	logger.V(3).Info("Probe succeeded", "probeType", probeType(1), "podUID", web.UID, "containerName", "nginx")
	comes("a round after one that is the same", 0, "sync", nil)

	fails := tap.Recorder(&record.FakeRecorder{})
	ref := &corev1.ObjectReference{Kind: "Pod", Namespace: web.Namespace, Name: web.Name, UID: web.UID, FieldPath: "spec.containers{nginx}"}
	for range 3 {
		fails.Event(ref, "Warning", "Unhealthy", "Liveness probe failed: no")
		comes("a sync of a probe that fails", last(t, bus, eventKind).ID, "sync", nil)
	}
	comes("a round after them", 0, "sync", nil)
}

// TestWhatAProbeComesToIsWritten: the kubelet writes it before it syncs the pod, and the sync before that may have been
// a round, which comes of nothing.
func TestWhatAProbeComesToIsWritten(t *testing.T) {
	bus, tap, web := placed()
	var logger klog.Logger
	nothing := func(context.Context) error { return nil }
	syncOf(tap, web, "create", func(ctx context.Context) error { logger = klog.FromContext(ctx); return nil })
	syncOf(tap, web, "sync", nothing)
	if round := last(t, bus, syncs["syncPod"]); round.Cause != 0 {
		t.Fatalf("a round comes of %d", round.Cause)
	}
	transport := tap.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusConflict, Status: "409 Conflict"}, nil
	}))
	wrote := func(what string, of trace.ID) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, "http://apiserver/api/v1/namespaces/default/pods/web/status", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := transport.RoundTrip(r); err != nil {
			t.Fatal(err)
		}
		if s := last(t, bus, statusKind); s.Cause != of {
			t.Errorf("%s: it comes of %d, want %d", what, s.Cause, of)
		}
	}
	wrote("after a round", last(t, bus, syncs["syncPod"]).ID)
	logger.V(3).Info("Probe succeeded", "probeType", probeType(1), "podUID", web.UID, "containerName", "nginx")
	wrote("after a probe", last(t, bus, probeKind).ID)
	syncOf(tap, web, "sync", nothing)
	wrote("after its sync", last(t, bus, syncs["syncPod"]).ID)
	ref := &corev1.ObjectReference{Kind: "Pod", Namespace: web.Namespace, Name: web.Name, UID: web.UID, FieldPath: "spec.containers{nginx}"}
	tap.Recorder(&record.FakeRecorder{}).Event(ref, "Warning", "Unhealthy", "Readiness probe failed: no")
	wrote("after a probe that failed", last(t, bus, eventKind).ID)
}

// TestASyncsErrorQuotesNoHook: what a sync ended with says that a hook failed, and nothing of its command, nor of
// what it wrote.
func TestASyncsErrorQuotesNoHook(t *testing.T) {
	const message = `failed to "StartContainer" for "c" with PostStartHookError: "Exec lifecycle hook ([sh -c echo CANARY]) for Container \"c\" failed - error: CANARY, message: \"CANARY\""`
	for name, fail := range map[string]func(*span){
		"error":  func(s *span) { s.RecordError(errors.New(message)) },
		"status": func(s *span) { s.SetStatus(codes.Error, message) },
	} {
		s := &span{}
		fail(s)
		if got := s.details.Error; strings.Contains(got, "CANARY") || !strings.Contains(got, "PostStartHookError") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
