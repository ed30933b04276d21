package apitrace

import (
	"context"
	"reflect"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/tabernetes/tabernetes/core/trace"
)

var (
	allowed = trace.Declare(trace.Authorization, "authorization.allowed", trace.Place{
		Package: "k8s.io/apiserver/pkg/endpoints/filters", Func: "withAuthorization", Text: "authorized, reason, err := a.Authorize(ctx, attributes)",
	})
	forbidden = trace.Declare(trace.Authorization, "authorization.forbidden", trace.Place{
		Package: "k8s.io/apiserver/pkg/endpoints/filters", Func: "withAuthorization", Text: "responsewriters.Forbidden(attributes, w, req, reason, s)",
	})
)

// Authorized are the details of authorization.allowed and authorization.forbidden.
type Authorized struct {
	// Asked are the authorizers in order: each allows, denies, or has no opinion, and a word of
	// the first two ends it.
	Asked  []Asked `json:"asked,omitempty"`
	User   string  `json:"user"`
	Verb   string  `json:"verb"`
	Reason string  `json:"reason,omitempty"`
}

// Brief implements trace.Briefer: who may do what, and who says so.
func (a *Authorized) Brief() any { return &briefly{User: a.User, Verb: a.Verb, Asked: names(a.Asked)} }

// Weight implements trace.Weigher.
func (a *Authorized) Weight() int { return 96 + 96*len(a.Asked) + len(a.Reason) }

// authorizers wraps the authorizer as a whole, and each that it asks.
func authorizers(bus *trace.Bus, next authorizer.Authorizer) (whole authorizer.Authorizer, names []string) {
	if next == nil {
		return nil, nil
	}
	if union := findUnion(reflect.ValueOf(next)); union.IsValid() {
		for i := range union.Len() {
			one, ok := union.Index(i).Interface().(authorizer.Authorizer)
			if !ok {
				continue
			}
			if _, wrapped := one.(*opining); !wrapped {
				name := authorizerName(one)
				names = append(names, name)
				union.Index(i).Set(reflect.ValueOf(&opining{name: name, next: one}))
			}
		}
	}
	return wrapAuthorizer(&authorization{bus: bus, Authorizer: next}, next), names
}

// findUnion is upstream's slice of authorizers, which its resolver keeps behind an atomic pointer of a
// type of its own (k8s.io/kubernetes/pkg/kubeapiserver/authorizer). Where it is not found, a step has
// the decision and its reason, and not who was asked.
func findUnion(v reflect.Value) reflect.Value {
	list := reflect.TypeFor[[]authorizer.Authorizer]()
	for range 8 {
		switch {
		case !v.IsValid():
			return reflect.Value{}
		case v.Kind() == reflect.Slice && v.Type().ConvertibleTo(list):
			return v
		case v.Kind() == reflect.Interface, v.Kind() == reflect.Pointer:
			if v.IsNil() {
				return reflect.Value{}
			}
			v = v.Elem()
		case v.Kind() == reflect.Struct && v.CanAddr():
			field := v.FieldByName("current") // of reloadableAuthorizerResolver
			if !field.IsValid() {
				field = v.FieldByName("authorizer") // of what it points to
			}
			if !field.IsValid() {
				return reflect.Value{}
			}
			field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr()))
			if load := field.MethodByName("Load"); load.IsValid() {
				v = load.Call(nil)[0]
			} else {
				v = field.Elem()
			}
		default:
			return reflect.Value{}
		}
	}
	return reflect.Value{}
}

// authorizerName is what --authorization-mode calls it.
func authorizerName(a authorizer.Authorizer) string {
	v := reflect.Indirect(reflect.ValueOf(a))
	if v.Kind() == reflect.Struct { // upstream's metrics wrap each, and know its mode
		if mode := v.FieldByName("authorizerType"); mode.IsValid() && mode.Kind() == reflect.String {
			return mode.String()
		}
	}
	name := strings.TrimPrefix(v.Type().String(), "authorizerfactory.")
	if name == "privilegedGroupAuthorizer" {
		return "group system:masters"
	}
	return name
}

// opining is one authorizer of several.
type opining struct {
	name string
	next authorizer.Authorizer
}

// Authorize implements authorizer.Authorizer.
func (o *opining) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	decision, reason, err := o.next.Authorize(ctx, a)
	if p, ok := ctx.Value(opinionsKey{}).(*opinions); ok {
		p.asked = append(p.asked, Asked{Name: o.name, Answer: opinion(decision), Reason: trace.Text(reason)})
	}
	return decision, reason, err
}

// opinions is the context in which authorizers are asked, and what they said.
type opinions struct {
	context.Context
	asked []Asked
}

type opinionsKey struct{}

// Value implements context.Context.
func (o *opinions) Value(key any) any {
	if _, ours := key.(opinionsKey); ours {
		return o
	}
	return o.Context.Value(key)
}

func opinion(d authorizer.Decision) string {
	switch d {
	case authorizer.DecisionAllow:
		return "allow"
	case authorizer.DecisionDeny:
		return "deny"
	}
	return "no opinion"
}

// authorization is the whole.
type authorization struct {
	bus *trace.Bus
	authorizer.Authorizer
	// asks is how many the last request asked, which is how many most others do: their list is made once.
	asks atomic.Int32
}

// Authorize implements authorizer.Authorizer.
func (a *authorization) Authorize(ctx context.Context, asked authorizer.Attributes) (authorizer.Decision, string, error) {
	t := of(ctx)
	if t == nil {
		return a.Authorizer.Authorize(ctx, asked)
	}
	begin := time.Now()
	said := &opinions{Context: ctx, asked: make([]Asked, 0, a.asks.Load())}
	decision, reason, err := a.Authorizer.Authorize(said, asked)
	a.asks.Store(int32(len(said.asked)))
	if !t.light || decision != authorizer.DecisionAllow {
		a.tell(t, begin, asked, said.asked, decision, reason)
	}
	return decision, reason, err
}

// tell tells of a decision.
func (a *authorization) tell(t *request, begin time.Time, asked authorizer.Attributes, opinions []Asked, decision authorizer.Decision, reason string) {
	d := &Authorized{Verb: asked.GetVerb(), Asked: opinions, Reason: trace.Text(reason)}
	if u := asked.GetUser(); u != nil {
		d.User = trace.Text(u.GetName())
	}
	kind := forbidden
	if decision == authorizer.DecisionAllow {
		kind = allowed
	}
	a.bus.Add(trace.Step{At: begin, Took: time.Since(begin), Kind: kind, Component: component, Cause: t.ID, Details: d})
}

// wrapAuthorizer keeps what upstream asserts on besides.
func wrapAuthorizer(a *authorization, next authorizer.Authorizer) authorizer.Authorizer {
	if rules, ok := next.(authorizer.RuleResolver); ok {
		return &resolving{a, rules}
	}
	return a
}

type resolving struct {
	*authorization
	rules authorizer.RuleResolver
}

var _ authorizer.RuleResolver = (*resolving)(nil)

// RulesFor implements authorizer.RuleResolver.
func (r *resolving) RulesFor(ctx context.Context, u user.Info, namespace string) ([]authorizer.ResourceRuleInfo, []authorizer.NonResourceRuleInfo, bool, error) {
	return r.rules.RulesFor(ctx, u, namespace)
}
