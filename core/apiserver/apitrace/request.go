package apitrace

import (
	"context"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/audit"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/endpoints/responsewriter"

	"github.com/tabernetes/tabernetes/core/trace"
)

var served = trace.Declare(trace.Etcd, "apiserver.request", trace.Place{
	Package: "k8s.io/apiserver/pkg/server", Func: "DefaultBuildHandlerChain", Text: "handler = genericapifilters.WithRequestInfo(handler, c.RequestInfoResolver)",
})

// Served are the details of apiserver.request.
type Served struct {
	Verb  string `json:"verb"`
	Path  string `json:"path"`
	Query string `json:"query,omitempty"`
	Code  int    `json:"code,omitempty"`
	User  string `json:"user,omitempty"`
	Agent string `json:"agent,omitempty"`
	// FlowSchema and PriorityLevel are those of API priority and fairness; Waited is how long
	// the request stood in a queue, in milliseconds.
	FlowSchema    string  `json:"flowSchema,omitempty"`
	PriorityLevel string  `json:"priorityLevel,omitempty"`
	Waited        float64 `json:"waited,omitempty"`
	AuditID       string  `json:"auditID,omitempty"`
	// Event is the reason of an Event that is written.
	Event string `json:"event,omitempty"`
	// Open is set for a watch or a stream, which is told when it is answered and goes on.
	Open bool `json:"open,omitempty"`
}

// Weight implements trace.Weigher.
func (s *Served) Weight() int {
	return 160 + len(s.Path) + len(s.Query) + len(s.Agent) + len(s.AuditID)
}

// Brief implements trace.Briefer.
func (s *Served) Brief() any {
	return &struct {
		Verb          string  `json:"verb"`
		Path          string  `json:"path"`
		Code          int     `json:"code,omitempty"`
		PriorityLevel string  `json:"priorityLevel,omitempty"`
		Waited        float64 `json:"waited,omitempty"`
	}{s.Verb, s.Path, s.Code, s.PriorityLevel, s.Waited}
}

// request is one that is traced.
type request struct {
	trace.Request
	recorder recorder
	bus      *trace.Bus
	begin    time.Time
	// typed is set for a request of a command that this process runs: what a person typed.
	typed bool
	// light is set for Events that nobody typed, and while nobody is there (trace.Bus.Attended): only that there was one,
	// what refused it, and that it was written.
	light bool
	// cut says why it is light, if it is no Event.
	cut string
	// info is what its path says, until upstream's filter asks for it.
	info *apirequest.RequestInfo

	mu       sync.Mutex
	told     bool
	cause    trace.ID
	inferred bool
	details  Served
	asked    []Asked // authenticators, then authorizers
	// policy is whether requests are audited, audit what upstream knows of this one's: nil before it has
	// been authenticated.
	policy  bool
	audit   *audit.AuditContext
	plugins []Plugin // of the phase of admission that runs
	// began is when that phase did, and lap how long after that the last of them was done.
	began   time.Time
	lap     time.Duration
	refused bool // by one of them
	// operation is what was last admitted; empty before.
	operation admission.Operation

	// compared says that what each plugin changes is looked at; seen is then a copy of the object as it
	// is, while plugins run.
	compared bool
	// spared says that it would have been looked at, if that had not been too much.
	spared bool
	seen   runtime.Object
	// sent is what came, as far as it is kept, until it has been decoded; admitted the object as plugins
	// have left it.
	sent     *sent
	admitted runtime.Object
}

// resolved has upstream's filter take what has been found of a request's path already.
type resolved struct {
	apirequest.RequestInfoResolver
}

// NewRequestInfo implements apirequest.RequestInfoResolver.
func (r resolved) NewRequestInfo(asked *http.Request) (*apirequest.RequestInfo, error) {
	if t := of(asked.Context()); t != nil && t.info != nil {
		info := t.info
		t.info = nil // whoever has it may change it
		return info, nil
	}
	return r.RequestInfoResolver.NewRequestInfo(asked)
}

// of is the request that ctx serves, nil if it is not traced.
func of(ctx context.Context) *request {
	if r := trace.RequestOf(ctx); r != nil {
		t, _ := r.Tap.(*request)
		return t
	}
	return nil
}

// in is ctx for serving t.
func (t *request) in(ctx context.Context) context.Context {
	if t.Tap == nil { // somebody may read it by now
		t.Tap = t
	}
	return trace.WithRequest(ctx, &t.Request)
}

// front stands before the whole chain of handlers.
type front struct {
	next        http.Handler
	bus         *trace.Bus
	resolver    apirequest.RequestInfoResolver
	longRunning apirequest.LongRunningRequestCheck
	// policy is whether an audit policy is in force.
	policy bool
	// compares bounds for how many requests it is looked at what each plugin changes: copies, and a
	// comparison after each of fifteen plugins, cost a sixth of what creating a pod does.
	compares *rate.Limiter
	// typed is the same for requests of commands that this process runs, those a person looks for first, and since for
	// those that something has caused since then: what a cluster does by itself at its start uses up neither.
	typed, since *rate.Limiter
}

// Requests of which it is looked at what plugins change, while somebody looks at the trace, by each of three bounds: a
// command has them all, what comes of it, too, and of a hundred pods a second some.
const comparesAtOnce, comparesPerSecond = 40, 5

// unattended is said of a request that comes while nobody is there.
const unattended = "what it passed in the server, and who was told of what it wrote: nobody looked at the trace, and nobody had typed a command here in the last 5 minutes"

// notCompared is said of a step of which it was not looked at.
const notCompared = "what each plugin changed: it is looked at for 40 requests at once, and 5 a second after that"

// compare decides whether it is looked at what plugins change of this request's object. Statuses
// are written often, and no plugin changes them.
func (t *request) compare(limit *rate.Limiter, info *apirequest.RequestInfo) {
	if t.light || info.Subresource == "status" || !t.bus.Watched() {
		return
	}
	switch info.Verb {
	case "create", "update", "patch":
		t.compared = limit.Allow()
		t.spared = !t.compared
	}
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Over TLS the cause is named by an ID that this process gave; in the process it is in the
	// context. Nothing else that a request says is believed.
	cause, limit := f.bus.Audited(r.Header.Get(auditID)), f.typed
	typed := cause != 0
	if !typed {
		limit = f.compares
		if cause = trace.Carried(r.Context()); f.bus.SinceTyped(cause) {
			limit = f.since
		}
	}
	unasked := cause == 0 && (r.Method == http.MethodGet || r.Method == http.MethodHead)
	if unasked && !entering[path.Base(r.URL.Path)] {
		f.next.ServeHTTP(w, r)
		return
	}
	info, err := f.resolver.NewRequestInfo(r)
	if err != nil || cause == 0 && !worth(info) || unasked && !entering[info.Subresource] {
		f.next.ServeHTTP(w, r)
		return
	}
	begin := time.Now()
	t := &request{
		Request: trace.Request{ID: f.bus.Reserve()}, bus: f.bus, begin: begin, typed: typed, light: info.Resource == "events" && !typed, cause: cause, policy: f.policy,
		details: Served{Verb: info.Verb, Path: trace.Text(info.Path), Agent: agent(r)},
	}
	if !typed && !t.light && !f.bus.Attended(begin) {
		t.light, t.cut = true, unattended
	}
	if r.URL.RawQuery != "" {
		t.details.Query = trace.Query(r.URL.Query())
	}
	t.Learn(func(o *trace.Object) {
		*o = trace.Object{
			Group: info.APIGroup, Version: info.APIVersion, Resource: info.Resource, Subresource: info.Subresource,
			Namespace: info.Namespace, Name: info.Name,
		}
		// Upstream has a Namespace lie in itself.
		if o.Group == "" && o.Resource == "namespaces" {
			o.Namespace = ""
		}
	})
	t.compare(limit, info)
	ctx := t.in(r.Context())
	record := &t.recorder
	record.ResponseWriter = w
	if f.longRunning != nil && f.longRunning(r, info) {
		record.open = t
	}
	t.info = info
	// Its end is told even if the handler panics, as one that is aborted does.
	defer func() { t.end(record) }()
	// In the process it is served by its client's goroutine: what serving it reads is not what that one's
	// work read (core/clienttrace, controllers.read).
	defer trace.Mark(t.ID)()
	f.next.ServeHTTP(responsewriter.WrapForHTTP1Or2(record), r.WithContext(ctx))
}

// quiet are resources of which only what somebody else caused is told.
var quiet = sets.New("leases", "tokenreviews", "subjectaccessreviews", "localsubjectaccessreviews", "selfsubjectaccessreviews")

func worth(info *apirequest.RequestInfo) bool {
	return info.IsResourceRequest && !quiet.Has(info.Resource)
}

// auditID is upstream's header Audit-ID in net/http's canonical form, which it looks up without making it anew.
const auditID = "Audit-Id"

// agent is the program's name.
func agent(r *http.Request) string {
	name, _, _ := strings.Cut(r.UserAgent(), " ")
	return trace.Text(name)
}

// end tells of the request, once.
func (t *request) end(w *recorder) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.told {
		return
	}
	t.told = true
	t.refusedFields(w)
	d := t.details
	d.Code, d.AuditID = w.code, trace.Text(w.Header().Get(auditID))
	d.Open = w.open != nil
	t.tellAudit(d.AuditID)
	t.bus.Add(trace.Step{
		ID: t.ID, At: t.begin, Took: time.Since(t.begin), Kind: served, Component: component,
		Object: t.Object(), Cause: t.cause, Inferred: t.inferred, Details: &d, Cut: t.cut,
	})
}

// recorder sees what is answered.
type recorder struct {
	http.ResponseWriter
	code int
	open *request // told when it is answered; nil: when it has ended
	// body is that of a refusal (422), as far as it is kept.
	body []byte
}

var _ responsewriter.UserProvidedDecorator = (*recorder)(nil)

// Unwrap implements responsewriter.UserProvidedDecorator.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(code int) {
	if r.code == 0 && code >= 200 || code == http.StatusSwitchingProtocols {
		r.code = code
		if r.open != nil {
			r.open.end(r)
		}
	}
	r.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	if r.code == 0 {
		r.code = http.StatusOK
		if r.open != nil {
			r.open.end(r)
		}
	}
	if r.code == http.StatusUnprocessableEntity && len(r.body)+len(b) <= maxRefusal {
		r.body = append(r.body, b...)
	}
	return r.ResponseWriter.Write(b)
}
