package apitrace

import (
	"context"
	"math"
	"net/http"
	"reflect"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	oteltrace "go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/tabernetes/tabernetes/core/trace"
)

const handlersPackage = "k8s.io/apiserver/pkg/endpoints/handlers"

var handled = trace.Declare(trace.Etcd, "apiserver.handler", trace.Place{
	Package: handlersPackage, Func: "createHandler", Text: `ctx, span := tracing.Start(ctx, "Create", traceFields(req)...)`,
})

// handlersBy are the kinds of other handlers' steps, by the request's verb.
var handlersBy = map[string]*trace.Kind{
	"update": handled.Where("update", trace.Place{
		Package: handlersPackage, Func: "UpdateResource", Text: `ctx, span := tracing.Start(ctx, "Update", traceFields(req)...)`,
	}),
	"patch": handled.Where("patch", trace.Place{
		Package: handlersPackage, Func: "PatchResource", Text: `ctx, span := tracing.Start(ctx, "Patch", traceFields(req)...)`,
	}),
	"delete": handled.Where("delete", trace.Place{
		Package: handlersPackage, Func: "DeleteResource", Text: `ctx, span := tracing.Start(ctx, "Delete", traceFields(req)...)`,
	}),
	"deletecollection": handled.Where("deletecollection", trace.Place{
		Package: handlersPackage, Func: "DeleteCollection", Text: `ctx, span := tracing.Start(ctx, "Delete", traceFields(req)...)`,
	}),
	"get": handled.Where("get", trace.Place{
		Package: handlersPackage, Func: "getResourceHandler", Text: `ctx, span := tracing.Start(ctx, "Get", traceFields(req)...)`,
	}),
	"list": handled.Where("list", trace.Place{
		Package: handlersPackage, Func: "handleList", Text: `ctx, span := tracing.Start(ctx, "List", traceFields(req)...)`,
	}),
}

// Handled are the details of apiserver.handler: what the handler that the request was routed to says of
// its work, in upstream's words.
type Handled struct {
	// Handler is upstream's name: "Create", "Update", "Patch", "Delete", "Get", "List".
	Handler string `json:"handler"`
	Answer
	// Resource, Scope and Protocol are those of the route.
	Resource string   `json:"resource,omitempty"`
	Scope    string   `json:"scope,omitempty"`
	Protocol string   `json:"protocol,omitempty"`
	Moments  []Moment `json:"moments"`
}

// Moment is one that a handler, or what it called, tells of.
type Moment struct {
	What string `json:"what"`
	// Of is the part that the handler called: "Create etcd3", "SerializeObject".
	Of string `json:"of,omitempty"`
	// At is in milliseconds after the handler was called. Each create has some sixteen of these, and the ring
	// thousands of creates.
	At float32 `json:"at"`
	// Bytes is the length that it speaks of, and Count the number of objects.
	Bytes uint32 `json:"bytes,omitempty"`
	Count uint32 `json:"count,omitempty"`
}

// Weight implements trace.Weigher.
func (h *Handled) Weight() int { return 96 + 64*len(h.Moments) }

// Brief implements trace.Briefer.
func (h *Handled) Brief() any {
	return &struct {
		Handler  string `json:"handler"`
		Resource string `json:"resource,omitempty"`
		Answer
		Moments int `json:"count"`
	}{h.Handler, h.Resource, h.Answer, len(h.Moments)}
}

// maxMoments bounds what is kept of one handler.
const maxMoments = 32

// writes are the handlers that are told of, by the names of their spans; reads those that are told of when
// somebody's command asks. Controllers and kubelets read too often for it.
var (
	writes = map[string]bool{"Create": true, "Update": true, "Patch": true, "Delete": true}
	reads  = map[string]bool{"Get": true, "List": true}
)

// entering are the subresources of a pod by which a request reaches into it: kubectl asks for them by GET (a
// WebSocket), and reads nothing.
var entering = map[string]bool{"exec": true, "attach": true, "portforward": true}

// handlers stands behind all filters, where the request is about to be routed. Upstream's handlers begin a
// span of whoever's provider the context has (k8s.io/component-base/tracing): of ours, for requests that are
// traced.
type handlers struct{ next http.Handler }

// ServeHTTP implements http.Handler.
func (h handlers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t := of(r.Context())
	if t != nil {
		if o := t.Object(); o.Resource == "pods" && (entering[o.Subresource] || o.Subresource == "log") {
			t.bus.Entered(o.Key(), o.Subresource, t.ID)
		}
	}
	if t == nil || t.light {
		h.next.ServeHTTP(w, r)
		return
	}
	t.keepSent(r)
	h.next.ServeHTTP(w, r.WithContext(oteltrace.ContextWithSpan(r.Context(), &root{request: t})))
}

// root is the span above a handler's, of which only the provider is asked for.
type root struct {
	noop.Span
	request *request
}

// TracerProvider implements oteltrace.Span.
func (s *root) TracerProvider() oteltrace.TracerProvider { return provider{request: s.request} }

type provider struct {
	embedded.TracerProvider
	request *request
}

// Tracer implements oteltrace.TracerProvider.
func (p provider) Tracer(string, ...oteltrace.TracerOption) oteltrace.Tracer {
	return tracer{request: p.request}
}

type tracer struct {
	embedded.Tracer
	request *request
}

// Start implements oteltrace.Tracer.
func (t tracer) Start(ctx context.Context, name string, options ...oteltrace.SpanStartOption) (context.Context, oteltrace.Span) {
	above, _ := oteltrace.SpanFromContext(ctx).(*span)
	var s *span
	switch {
	case above != nil:
		s = &span{work: above.work, of: trace.Text(name)}
		s.work.calls(s.of)
	case writes[name], reads[name] && t.request.typed:
		// A create has some sixteen moments: their list is made once.
		details := &Handled{Handler: name, Moments: make([]Moment, 0, 16)}
		w := &work{request: t.request, id: t.request.bus.Reserve(), began: time.Now(), details: details}
		for _, option := range options {
			for _, a := range attributes(option) {
				switch a.Key {
				case "resource":
					w.details.Resource = trace.Text(a.Value.AsString())
				case "scope":
					w.details.Scope = trace.Text(a.Value.AsString())
				case "protocol":
					w.details.Protocol = trace.Text(a.Value.AsString())
				}
			}
		}
		s = &span{work: w}
	default:
		return ctx, noop.Span{}
	}
	return oteltrace.ContextWithSpan(ctx, s), s
}

// work is what one handler does.
type work struct {
	request *request
	id      trace.ID
	began   time.Time

	mu      sync.Mutex // upstream leaves a handler behind that takes too long
	told    bool
	details *Handled // by itself: the ring holds it for long after the request
}

// span is a handler's, or that of what it called.
type span struct {
	noop.Span
	work *work
	of   string
}

// TracerProvider implements oteltrace.Span.
func (s *span) TracerProvider() oteltrace.TracerProvider { return provider{request: s.work.request} }

// AddEvent implements oteltrace.Span. Of what upstream says beside the words only lengths are kept: an
// error may quote the object.
func (s *span) AddEvent(what string, options ...oteltrace.EventOption) {
	m := Moment{What: trace.Text(what), Of: s.of, At: float32(milliseconds(s.work.began))}
	counted := false
	for _, option := range options {
		for _, a := range attributes(option) {
			if a.Value.Type() != attribute.INT64 {
				continue
			}
			switch a.Key {
			case "len", "size":
				m.Bytes = bounded(a.Value.AsInt64())
			case "count":
				m.Count, counted = bounded(a.Value.AsInt64()), true
			}
		}
	}
	s.work.mu.Lock()
	defer s.work.mu.Unlock()
	if !s.work.told {
		s.work.details.learn(m, counted)
	}
	if !s.work.told && len(s.work.details.Moments) < maxMoments {
		s.work.details.Moments = append(s.work.details.Moments, m)
	}
}

// bounded is n as far as a moment can say it.
func bounded(n int64) uint32 { return uint32(min(max(n, 0), math.MaxUint32)) }

var (
	keyValues       = reflect.TypeFor[[]attribute.KeyValue]()
	attributeOption = reflect.TypeOf(oteltrace.WithAttributes())
)

// attributes are those of one option of a span or an event, not to be changed. The way that OpenTelemetry has
// for that, a configuration of all options, copies them, each create's some twenty times (docs/performance.md, The
// trace): an option of attributes is a list of them, and only what is something else is asked in its own way.
func attributes(option any) []attribute.KeyValue {
	if v := reflect.ValueOf(option); v.IsValid() && v.Type() == attributeOption && v.CanConvert(keyValues) {
		if v.Len() == 0 { // of most moments
			return nil
		}
		return v.Convert(keyValues).Interface().([]attribute.KeyValue)
	}
	switch o := option.(type) {
	case oteltrace.SpanStartOption:
		config := oteltrace.NewSpanStartConfig(o)
		return config.Attributes()
	case oteltrace.EventOption:
		config := oteltrace.NewEventConfig(o)
		return config.Attributes()
	}
	return nil
}

// End implements oteltrace.Span.
func (s *span) End(...oteltrace.SpanEndOption) {
	if s.of != "" {
		return
	}
	w := s.work
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told {
		return
	}
	w.told = true
	kind := handlersBy[w.request.details.Verb]
	if kind == nil {
		kind = handled
	}
	w.request.bus.Add(trace.Step{
		ID: w.id, At: w.began, Took: time.Since(w.began), Kind: kind, Component: component,
		Cause: w.request.ID, Object: w.request.Object(), Details: w.details,
	})
}
