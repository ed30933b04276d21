package apitrace

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/tabernetes/tabernetes/core/trace"
)

var (
	mutated = trace.Declare(trace.Admission, "admission.mutating", trace.Place{
		Package: "k8s.io/apiserver/pkg/admission", Func: "chainAdmissionHandler.Admit", Text: "err := mutator.Admit(ctx, a, o)",
	})
	validated = trace.Declare(trace.Admission, "admission.validating", trace.Place{
		Package: "k8s.io/apiserver/pkg/admission", Func: "chainAdmissionHandler.Validate", Text: "err := validator.Validate(ctx, a, o)",
	})
	refused = trace.Declare(trace.Admission, "admission.refused", trace.Place{
		Package: handlersPackage, Func: "createHandler", Text: "if err := mutatingAdmission.Admit(ctx, admissionAttributes, scope)",
	})
	// Who had the plugins run depends on the request's verb and on what came of it. What is not here was to be
	// created, and had been decoded.
	refusedUpdate = refused.Where("update", trace.Place{
		Package: handlersPackage, Func: "UpdateResource", Text: "return newObj, mutatingAdmission.Admit(ctx, admission.NewAttributesRecord(newObj, oldObj,",
	})
	refusedUpsert = refused.Where("update that creates", trace.Place{
		Package: handlersPackage, Func: "UpdateResource", Text: "return newObj, mutatingAdmission.Admit(ctx, admission.NewAttributesRecord(newObj, nil,",
	})
	refusedPatch = refused.Where("patch", trace.Place{
		Package: handlersPackage, Func: "patcher.applyAdmission", Text: "return patchedObject, p.admissionCheck.Admit(ctx, attributes, p.objectInterfaces)",
	})
	refusedByMutating = map[admission.Operation]*trace.Kind{
		admission.Delete: refused.Where("delete", trace.Place{
			Package: restPackage, Func: "AdmissionToValidateObjectDeleteFunc", Text: "mutatingAdmission.Admit(ctx, finalAttributes, objInterfaces)",
		}),
		admission.Connect: refused.Where("connect", trace.Place{
			Package: handlersPackage, Func: "ConnectResource", Text: "err = mutatingAdmission.Admit(ctx,",
		}),
	}
	refusedByValidating = map[admission.Operation]*trace.Kind{
		admission.Create: refused.Where("create, validating", trace.Place{
			Package: restPackage, Func: "AdmissionToValidateObjectFunc", Text: "return validatingAdmission.Validate(ctx, finalAttributes, o)",
		}),
		admission.Update: refused.Where("update, validating", trace.Place{
			Package: restPackage, Func: "AdmissionToValidateObjectUpdateFunc", Text: "return validatingAdmission.Validate(ctx, finalAttributes, o)",
		}),
		admission.Delete: refused.Where("delete, validating", trace.Place{
			Package: restPackage, Func: "AdmissionToValidateObjectDeleteFunc", Text: "validatingAdmission.Validate(ctx, finalAttributes, objInterfaces)",
		}),
		admission.Connect: refused.Where("connect, validating", trace.Place{
			Package: handlersPackage, Func: "ConnectResource", Text: "err = validatingAdmission.Validate(ctx,",
		}),
	}
)

const restPackage = "k8s.io/apiserver/pkg/registry/rest"

// refusedBy is the kind of a refusal's step, by the request's verb, what is done, and the phase.
func refusedBy(verb string, op admission.Operation, phase string) *trace.Kind {
	if phase == validating {
		if k := refusedByValidating[op]; k != nil {
			return k
		}
		return refused
	}
	if k := refusedByMutating[op]; k != nil {
		return k
	}
	switch {
	case verb == "patch":
		return refusedPatch
	case verb == "update" && op == admission.Create:
		return refusedUpsert
	case op == admission.Update:
		return refusedUpdate
	}
	return refused
}

// The phases of admission, in upstream's words.
const mutating, validating = "mutating", "validating"

// Admitted are the details of admission.mutating and admission.validating.
type Admitted struct {
	Operation string `json:"operation"`
	// Plugins are those that ran, in order.
	Plugins []Plugin `json:"plugins"`
}

// Plugin is one plugin that ran.
type Plugin struct {
	Name string `json:"name"`
	// Changed is what it changed of the object; only seen while somebody looks at the trace, and then
	// of so many requests a second.
	Changed *Difference `json:"changed,omitempty"`
	// Took is in milliseconds, with what upstream does before it. Each create has some thirty of these, and the ring
	// thousands of creates.
	Took    float32 `json:"took"`
	Refused bool    `json:"refused,omitempty"`
}

// Refusal are the details of admission.refused.
type Refusal struct {
	Plugin  string `json:"plugin"`
	Phase   string `json:"phase"`
	Message string `json:"message"`
}

// Weight implements trace.Weigher.
func (a *Admitted) Weight() int {
	n := 64 + 32*len(a.Plugins)
	for i := range a.Plugins {
		n += a.Plugins[i].Changed.weight()
	}
	return n
}

// Brief implements trace.Briefer: which plugins there were, and which of them did something.
func (a *Admitted) Brief() any {
	type acted struct {
		Name    string `json:"name"`
		Changed bool   `json:"changed,omitempty"`
		Refused bool   `json:"refused,omitempty"`
	}
	brief := struct {
		Plugins []acted `json:"plugins"`
	}{make([]acted, len(a.Plugins))}
	for i := range a.Plugins {
		p := &a.Plugins[i]
		brief.Plugins[i] = acted{p.Name, p.Changed != nil, p.Refused}
	}
	return &brief
}

// before is a copy of the object as it is before a plugin runs, nil if it is not compared. Most plugins change
// nothing, so that the copy is the next one's as well. Plugins that change run one after the other.
func (t *request) before(object runtime.Object) runtime.Object {
	if object == nil || !t.compared {
		t.seen = nil
	} else if t.seen == nil {
		t.seen = object.DeepCopyObject()
	}
	return t.seen
}

// took is how long ago the plugin before was done, or the phase began, in milliseconds. The clock is asked once for each
// plugin, of which every create passes some thirty: in a browser that is a call out of the program.
func (t *request) took() float32 {
	lap := time.Since(t.began)
	took := lap - t.lap
	t.lap = lap
	return float32(took.Microseconds()) / 1000
}

func milliseconds(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }

func (t *request) ran(p Plugin, err error, op admission.Operation, phase string) {
	t.mu.Lock()
	t.plugins = append(t.plugins, p)
	t.mu.Unlock()
	t.refuses(p.Name, err, op, phase)
}

// refuses tells of a plugin that let the request not pass, whoever is there.
func (t *request) refuses(plugin string, err error, op admission.Operation, phase string) {
	if err == nil {
		return
	}
	t.mu.Lock()
	t.refused = true
	t.mu.Unlock()
	t.bus.Add(trace.Step{
		Kind: refusedBy(t.details.Verb, op, phase), Component: component, Cause: t.ID, Object: t.Object(),
		Details: &Refusal{Plugin: plugin, Phase: phase, Message: message(err)},
	})
}

// chain is all plugins together.
type chain struct {
	next admission.Interface
	bus  *trace.Bus
	// mutators and validators are how many plugins ran for the last request, which is how many there will be
	// for most others: their list is made once.
	mutators, validators atomic.Int32
}

var (
	_ admission.MutationInterface   = (*chain)(nil)
	_ admission.ValidationInterface = (*chain)(nil)
)

// Handles implements admission.Interface.
func (c *chain) Handles(o admission.Operation) bool { return c.next.Handles(o) }

// Admit implements admission.MutationInterface.
func (c *chain) Admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	mutator, ok := c.next.(admission.MutationInterface)
	if !ok {
		return nil
	}
	of(ctx).hasDecoded(a, o)
	return c.phase(ctx, mutated, &c.mutators, a, func(ctx context.Context) error { return mutator.Admit(ctx, a, o) })
}

// Validate implements admission.ValidationInterface.
func (c *chain) Validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	validator, ok := c.next.(admission.ValidationInterface)
	if !ok {
		return nil
	}
	of(ctx).hasMade(a, o)
	return c.phase(ctx, validated, &c.validators, a, func(ctx context.Context) error { return validator.Validate(ctx, a, o) })
}

func (c *chain) phase(ctx context.Context, kind *trace.Kind, ran *atomic.Int32, a admission.Attributes, run func(context.Context) error) error {
	t := of(ctx)
	if t == nil {
		return run(ctx)
	}
	t.meet(a)
	t.operation = a.GetOperation()
	// Each plugin asks for the request, which lies below all that filters put into the context.
	near := t.in(ctx)
	if t.light {
		return run(near)
	}
	t.mu.Lock()
	t.plugins = make([]Plugin, 0, ran.Load())
	t.mu.Unlock()
	begin := time.Now()
	t.began, t.lap = begin, 0
	err := run(near)
	if kind == mutated && err == nil && a.GetOperation() == admission.Create && a.GetSubresource() == "" {
		t.admitted = t.before(a.GetObject())
	}
	t.seen = nil
	c.tell(t, kind, ran, a, begin)
	return err
}

// tell tells of the plugins that ran in a phase.
func (c *chain) tell(t *request, kind *trace.Kind, ran *atomic.Int32, a admission.Attributes, begin time.Time) {
	t.mu.Lock()
	d := &Admitted{Operation: string(a.GetOperation()), Plugins: t.plugins}
	t.plugins = nil
	t.mu.Unlock()
	ran.Store(int32(len(d.Plugins)))
	s := trace.Step{At: begin, Took: time.Since(begin), Kind: kind, Component: component, Cause: t.ID, Object: t.Object(), Details: d}
	if t.spared && kind == mutated {
		s.Cut = notCompared
	}
	c.bus.Add(s)
}

// meet learns what the request is about, and of what it came if nobody carried that here.
func (t *request) meet(a admission.Attributes) {
	object := a.GetObject()
	if object == nil || a.GetSubresource() != "" && a.GetOldObject() != nil {
		object = a.GetOldObject()
	}
	var m metav1.Object
	if object != nil {
		m, _ = meta.Accessor(object)
	}
	t.Learn(func(o *trace.Object) {
		if t.details.Verb == "deletecollection" {
			return // each of its objects is admitted by itself
		}
		if o.Name == "" {
			o.Name = a.GetName()
		}
		if m == nil {
			return
		}
		if o.Name == "" {
			o.Name = m.GetName()
		}
		// A Binding has its pod's UID, other subresources' objects have none.
		if uid := string(m.GetUID()); uid != "" && o.UID == "" {
			o.UID = uid
		}
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	if event, ok := object.(*core.Event); ok {
		t.details.Event = trace.Text(event.Reason)
	}
	if t.cause == 0 && ours(t.details.User) {
		t.cause = t.origin(a, object, m)
		t.inferred = t.cause != 0
	}
}

// ours tells whether a user is a component of this cluster: what anybody else does is a beginning.
func ours(user string) bool {
	for _, prefix := range []string{"system:node:", "system:kube-", "system:serviceaccount:kube-system:", "system:apiserver"} {
		if strings.HasPrefix(user, prefix) {
			return true
		}
	}
	return false
}

// Controllers that change, or delete, what another object is the reason for. The eviction of pods by taints has the
// account of the controllers of nodes.
const (
	namespaceController = "system:serviceaccount:kube-system:namespace-controller"
	nodeController      = "system:serviceaccount:kube-system:node-controller"
)

// reason is the key of the object that a controller looks at when it makes this request, "" if that is the request's own:
// what is in a Namespace goes because that goes, and a pod because of its node.
func (t *request) reason(a admission.Attributes, object runtime.Object) string {
	switch t.details.User {
	case namespaceController:
		return trace.ObjectKey("", "namespaces", "", a.GetNamespace())
	case nodeController:
		if pod, ok := object.(*core.Pod); ok && pod.Spec.NodeName != "" {
			return trace.ObjectKey("", "nodes", "", pod.Spec.NodeName)
		}
	}
	return ""
}

// origin is the latest step that wrote the object before the request began, or, of a new one, its owner.
func (t *request) origin(a admission.Attributes, object runtime.Object, m metav1.Object) trace.ID {
	if a.GetOperation() == admission.Create && a.GetSubresource() == "" {
		if event, ok := object.(*core.Event); ok {
			return t.bus.LatestBefore(t.ID, string(event.InvolvedObject.UID))
		}
		if m == nil {
			return 0
		}
		for _, owner := range m.GetOwnerReferences() {
			if id := t.bus.LatestBefore(t.ID, string(owner.UID)); id != 0 {
				return id
			}
		}
		return 0
	}
	if key := t.reason(a, object); key != "" {
		if id := t.bus.LatestByKeyBefore(t.ID, key); id != 0 {
			return id
		}
	}
	if m != nil {
		if id := t.bus.LatestBefore(t.ID, string(m.GetUID())); id != 0 {
			return id
		}
	}
	o := t.Object()
	return t.bus.LatestByKeyBefore(t.ID, o.Key())
}
