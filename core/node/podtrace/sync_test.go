package podtrace

import (
	"context"
	"errors"
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
