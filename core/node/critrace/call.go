package critrace

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	internalapi "k8s.io/cri-api/pkg/apis"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Service is what a kubelet asks of a container runtime.
type Service interface {
	internalapi.RuntimeService
	internalapi.ImageManagerService
}

// By is how a runtime is called.
type By string

// The ways: the in-tab runtime is in the kubelet's process, others are behind a socket.
const (
	Function By = "a function call"
	Socket   By = "over a socket"
)

// Options say of whose runtime the calls are.
type Options struct {
	Bus  *trace.Bus
	Node string
	By   By
	// Cause is the step that a call for a pod is caused by where its context does not say so; it
	// was found by the pod. Default: none.
	Cause func(uid string) trace.ID
	// Changed is told of the step after which a pod's containers are others. Default: nobody.
	Changed func(uid string, id trace.ID)
}

// Runtime is a runtime whose calls are told of.
type Runtime struct {
	Service
	opts Options

	// uncaused is how many reads nobody's sync had asked for: the kubelet lists everything once a
	// second. They are no steps.
	uncaused atomic.Int64

	execs trace.Repeats

	mu   sync.Mutex
	pods map[string]pod // by the IDs of sandboxes and containers
}

type pod struct{ namespace, name, uid string }

var _ Service = (*Runtime)(nil)

// maxPods is how many sandboxes and containers are known by their pods.
const maxPods = 4096

// Wrap has the calls of a runtime told of. On a nil bus it is the runtime itself.
func Wrap(s Service, o Options) Service {
	if o.Bus == nil {
		return s
	}
	if o.Cause == nil {
		o.Cause = func(string) trace.ID { return 0 }
	}
	if o.Changed == nil {
		o.Changed = func(string, trace.ID) {}
	}
	return &Runtime{Service: s, opts: o, pods: map[string]pod{}}
}

// Uncaused is how many reads were not told, since no pod's sync had asked for them.
func (r *Runtime) Uncaused() int64 { return r.uncaused.Load() }

// call is one that is under way.
type call struct {
	r       *Runtime
	kind    *trace.Kind
	id      trace.ID
	cause   trace.ID
	began   time.Time
	pod     pod
	request proto.Message // cut already
	same    int           // how many that came out the same were not told before it
}

// begin is called before the runtime is; the context it gives is the runtime's.
func (r *Runtime) begin(ctx context.Context, kind *trace.Kind, p pod, request proto.Message) (*call, context.Context) {
	c := r.prepare(ctx, kind, p)
	c.request = cut(request)
	return c, trace.With(ctx, c.id)
}

// prepare is begin without the request, for a call that may not be told.
func (r *Runtime) prepare(ctx context.Context, kind *trace.Kind, p pod) *call {
	return &call{r: r, kind: kind, id: r.opts.Bus.Reserve(), cause: trace.Cause(ctx), began: time.Now(), pod: p}
}

// asked are calls that somebody's own request to the kubelet's server leads to, and no sync of a pod.
var asked = map[*trace.Kind]bool{exec: true, attach: true, portForward: true}

// end tells of the call.
func (c *call) end(response proto.Message, err error) {
	d := &details{Method: c.kind.Name[len("cri."):], By: c.r.opts.By, Request: c.request, Same: c.same}
	if err != nil {
		d.Error = trace.Failure(err.Error())
	} else {
		d.Response = cut(response)
	}
	d.weight = d.weigh()
	s := trace.Step{
		ID: c.id, At: c.began, Took: time.Since(c.began), Kind: c.kind, Component: "kubelet", Node: c.r.opts.Node,
		Cause: c.cause, Details: d,
	}
	if c.pod != (pod{}) {
		s.Object = trace.Object{Version: "v1", Resource: "pods", Namespace: c.pod.namespace, Name: c.pod.name, UID: c.pod.uid}
	}
	if s.Cause == 0 && c.pod.uid != "" && !asked[c.kind] {
		s.Cause = c.r.opts.Cause(c.pod.uid)
		s.Inferred = s.Cause != 0
	}
	c.r.opts.Bus.Add(s)
}

// details are a call's. What is in them was cut.
type details struct {
	Method            string
	By                By
	Request, Response proto.Message
	Error             string
	// Same is how many calls that came out the same were not told before this one.
	Same   int
	weight int // counted once: the ring asks when the step comes and when it goes
}

// Weight implements trace.Weigher.
func (d *details) Weight() int { return d.weight }

// weigh is about what the details hold, in bytes.
func (d *details) weigh() int {
	n := 256 + len(d.Error)
	for _, m := range []proto.Message{d.Request, d.Response} {
		if m != nil {
			n += 3 * proto.Size(m) // in memory it is more than on a wire
		}
	}
	return n
}

// Brief implements trace.Briefer: which container is made, and whether it failed.
func (d *details) Brief() any {
	var container string
	if r, ok := d.Request.(*runtimeapi.CreateContainerRequest); ok {
		container = trace.Text(r.GetConfig().GetMetadata().GetName())
	}
	if d.Error == "" && container == "" {
		return nil
	}
	return struct {
		Container string `json:"container,omitempty"`
		Error     string `json:"error,omitempty"`
	}{container, d.Error}
}

// MarshalJSON implements json.Marshaler.
func (d *details) MarshalJSON() ([]byte, error) {
	out := struct {
		Method   string          `json:"method"`
		By       By              `json:"by"`
		Request  json.RawMessage `json:"request,omitempty"`
		Response json.RawMessage `json:"response,omitempty"`
		Error    string          `json:"error,omitempty"`
		Same     int             `json:"sameBefore,omitempty"`
	}{Method: d.Method, By: d.By, Error: d.Error, Same: d.Same}
	for _, m := range []struct {
		from proto.Message
		to   *json.RawMessage
	}{{d.Request, &out.Request}, {d.Response, &out.Response}} {
		if m.from == nil {
			continue
		}
		text, err := protojson.Marshal(m.from)
		if err != nil {
			return nil, err
		}
		*m.to = text
	}
	return json.Marshal(out)
}

// podOf is the pod of a sandbox's configuration.
func podOf(c *runtimeapi.PodSandboxConfig) pod {
	m := c.GetMetadata()
	return pod{trace.Text(m.GetNamespace()), trace.Text(m.GetName()), trace.Text(m.GetUid())}
}

// of is the pod of a sandbox or a container, as far as it was made through here.
func (r *Runtime) of(id string) pod {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pods[id]
}

func (r *Runtime) learn(id string, p pod) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pods) < maxPods {
		r.pods[id] = p
	}
}

func (r *Runtime) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pods, id)
}
