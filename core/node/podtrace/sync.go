package podtrace

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/codes"
	oteltrace "go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/tabernetes/tabernetes/core/trace"
)

// syncs are the kubelet's spans that are a pod's, by their names.
var syncs = map[string]*trace.Kind{
	"syncPod":            declare("syncPod", kubelet, "Kubelet.SyncPod", `kl.tracer.Start(ctx, "syncPod"`),
	"syncTerminatingPod": declare("syncTerminatingPod", kubelet, "Kubelet.SyncTerminatingPod", `kl.tracer.Start(ctx, "syncTerminatingPod"`),
	"syncTerminatedPod":  declare("syncTerminatedPod", kubelet, "Kubelet.SyncTerminatedPod", `kl.tracer.Start(ctx, "syncTerminatedPod"`),
}

// TracerProvider has the kubelet's spans of a pod's syncs be steps; no other span is kept. The context
// that a span gives is that of the sync's calls of the runtime (Kubelet.SyncPod), which so have the
// sync as their cause.
func (t *Tap) TracerProvider() oteltrace.TracerProvider {
	if t == nil {
		return noop.NewTracerProvider()
	}
	return provider{tap: t}
}

type provider struct {
	embedded.TracerProvider
	tap *Tap
}

// Tracer implements oteltrace.TracerProvider.
func (p provider) Tracer(string, ...oteltrace.TracerOption) oteltrace.Tracer {
	return tracer{tap: p.tap}
}

type tracer struct {
	embedded.Tracer
	tap *Tap
}

// syncDetails are what there is to say of a sync.
type syncDetails struct {
	// UpdateType is why: "create", "update", "sync" or "kill" (kubetypes.SyncPodType).
	UpdateType string `json:"updateType,omitempty"`
	Error      string `json:"error,omitempty"`
}

// Start implements oteltrace.Tracer.
func (t tracer) Start(ctx context.Context, name string, options ...oteltrace.SpanStartOption) (context.Context, oteltrace.Span) {
	kind := syncs[name]
	if kind == nil {
		return noop.Tracer{}.Start(ctx, name, options...)
	}
	var namespace, pod, uid string
	s := &span{tap: t.tap, kind: kind, id: t.tap.bus.Reserve(), began: time.Now()}
	config := oteltrace.NewSpanStartConfig(options...)
	for _, a := range config.Attributes() {
		switch a.Key {
		case "k8s.pod.uid":
			uid = a.Value.AsString()
		case "k8s.pod.name":
			pod = a.Value.AsString()
		case "k8s.namespace.name":
			namespace = a.Value.AsString()
		case "k8s.pod.update_type":
			s.details.UpdateType = a.Value.AsString()
		}
	}
	t.tap.mu.Lock()
	state := t.tap.know(namespace, pod, uid)
	s.object, s.state, s.news = state.object(), state, state.news
	if !state.round(name, s.details.UpdateType) {
		s.cause, s.inferred = state.last, state.inferred
	}
	state.sync, state.noticed = s.id, 0
	admission := state.synced()
	t.tap.mu.Unlock()
	if admission != nil {
		t.tap.tell(*admission)
	}
	return t.tap.withHooks(t.tap.withProbes(trace.With(ctx, s.id))), s
}

// span is one sync of a pod.
type span struct {
	noop.Span
	tap      *Tap
	kind     *trace.Kind
	id       trace.ID
	began    time.Time
	object   trace.Object
	cause    trace.ID
	inferred bool
	details  syncDetails
	state    *podState
	news     int // of the pod, when it began
}

// round is whether a sync that begins is one that the kubelet makes every minute or so (--sync-frequency), with
// nothing new to it: else all of these would count as of the command that once placed the pod. One after a sync
// that failed is its next try. Tap.mu must be held.
func (s *podState) round(name, updateType string) bool {
	return name == "syncPod" && updateType == "sync" && s.news > 0 && s.news == s.handled
}

var _ oteltrace.Span = (*span)(nil)

// RecordError implements oteltrace.Span.
func (s *span) RecordError(err error, _ ...oteltrace.EventOption) {
	if err != nil {
		s.details.Error = trace.Failure(err.Error())
	}
}

// SetStatus implements oteltrace.Span.
func (s *span) SetStatus(code codes.Code, description string) {
	if code == codes.Error {
		s.details.Error = trace.Failure(description)
	}
}

// End implements oteltrace.Span.
func (s *span) End(...oteltrace.SpanEndOption) {
	if s.kind == syncs["syncPod"] && s.details.Error == "" {
		s.tap.mu.Lock()
		s.state.handled = s.news
		s.tap.mu.Unlock()
	}
	s.tap.tell(trace.Step{
		ID: s.id, At: s.began, Took: time.Since(s.began), Kind: s.kind, Object: s.object,
		Cause: s.cause, Inferred: s.inferred && s.cause != 0, Details: s.details,
	})
}
