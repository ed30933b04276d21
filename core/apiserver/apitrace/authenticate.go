package apitrace

import (
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	authgroup "k8s.io/apiserver/pkg/authentication/group"

	"github.com/tabernetes/tabernetes/core/trace"
)

var (
	accepted = trace.Declare(trace.Authentication, "authentication.accepted", trace.Place{
		Package: "k8s.io/apiserver/pkg/endpoints/filters", Func: "withAuthentication", Text: "resp, ok, err := auth.AuthenticateRequest(req)",
	})
	unknown = trace.Declare(trace.Authentication, "authentication.refused", trace.Place{
		Package: "k8s.io/apiserver/pkg/endpoints/filters", Func: "withAuthentication", Text: `klog.ErrorS(err, "Unable to authenticate the request")`,
	})
)

// Authenticated are the details of authentication.accepted and authentication.refused.
type Authenticated struct {
	// Asked are the authenticators in order, each with what it said: the last one accepted. Behind "bearer token"
	// are those that it asked in turn.
	Asked  []Asked  `json:"asked"`
	User   string   `json:"user,omitempty"`
	UID    string   `json:"uid,omitempty"`
	Groups []string `json:"groups,omitempty"`
	// TakenOff are the headers that upstream takes off a request that was accepted, as far as it had them: nobody
	// behind authentication is to believe them, or to hand them on.
	TakenOff []string `json:"takenOff,omitempty"`
}

// takenOff are those headers' names in a request (withAuthentication), without the keys that a client may have made
// up for X-Remote-Extra-.
func takenOff(h http.Header) (names []string) {
	for _, name := range []string{"Authorization", "X-Remote-User", "X-Remote-Uid", "X-Remote-Group"} {
		if h.Get(name) != "" {
			names = append(names, name)
		}
	}
	const extra = "X-Remote-Extra-"
	for name := range h {
		if len(name) >= len(extra) && strings.EqualFold(name[:len(extra)], extra) {
			return append(names, extra)
		}
	}
	return names
}

// Asked is one authenticator, or one authorizer, and its answer.
type Asked struct {
	Name   string `json:"name"`
	Answer string `json:"answer"`
	Reason string `json:"reason,omitempty"`
	err    error  // until Reason is found of it: no step holds one
}

// reasoned finds the reasons of errors, and forgets those.
func reasoned(asked []Asked) []Asked {
	for i := range asked {
		if a := &asked[i]; a.err != nil {
			a.Reason, a.err = why(a.err), nil
		}
	}
	return asked
}

// Weight implements trace.Weigher.
func (a *Authenticated) Weight() int {
	return 128 + 48*len(a.Asked) + 32*len(a.Groups) + 32*len(a.TakenOff)
}

// Brief implements trace.Briefer: who it was taken for, and whom that was asked of; or who refused it, and why.
func (a *Authenticated) Brief() any {
	b := &briefly{User: a.User, Asked: names(a.Asked), TakenOff: a.TakenOff}
	for _, asked := range a.Asked {
		if a.User == "" && asked.Answer == "refused" && asked.Reason != "" {
			b.Reason = asked.Name + ": " + asked.Reason
		}
	}
	return b
}

// briefly is what a line says of who may do what.
type briefly struct {
	User   string      `json:"user,omitempty"`
	Verb   string      `json:"verb,omitempty"`
	Asked  []briefName `json:"asked,omitempty"`
	Reason string      `json:"reason,omitempty"`
	// TakenOff is of Authenticated alone.
	TakenOff []string `json:"takenOff,omitempty"`
}

type briefName struct {
	Name string `json:"name"`
}

func names(asked []Asked) []briefName {
	out := make([]briefName, len(asked))
	for i := range asked {
		out[i].Name = asked[i].Name
	}
	return out
}

// authenticators wraps the authenticator as a whole, and each that it asks.
func authenticators(bus *trace.Bus, next authenticator.Request) (whole authenticator.Request, names []string) {
	var w wrapping
	return &authentication{bus: bus, next: w.each(next)}, w.names
}

// wrapping is what was found of a server's authenticators.
type wrapping struct {
	names  []string
	tokens *tokens
}

// each wraps those inside upstream's unions, in place. The union's type is not exported, its list is.
func (w *wrapping) each(a authenticator.Request) authenticator.Request {
	if g, ok := a.(*authgroup.AuthenticatedGroupAdder); ok {
		g.Authenticator = w.each(g.Authenticator)
		return g
	}
	if list := reflect.Indirect(reflect.ValueOf(a)); list.Kind() == reflect.Struct {
		if field := list.FieldByName("Handlers"); field.IsValid() && field.CanSet() {
			if handlers, ok := field.Interface().([]authenticator.Request); ok {
				for i := range handlers {
					handlers[i] = w.each(handlers[i])
				}
				return a
			}
		}
	}
	name := authenticatorName(a)
	w.names = append(w.names, name)
	w.tokens = tokenAuthenticators(a, w.tokens, &w.names)
	return &asking{name: name, next: a}
}

// authenticatorName is what people call an authenticator: of upstream's by its package and type.
func authenticatorName(a authenticator.Request) string {
	name := strings.TrimPrefix(reflect.TypeOf(a).String(), "*")
	switch name {
	case "x509.Authenticator", "x509.Verifier":
		return "client certificate"
	case "bearertoken.Authenticator":
		return "bearer token"
	case "websocket.ProtocolAuthenticator":
		return "bearer token of a WebSocket"
	case "headerrequest.requestHeaderAuthRequestHandler", "headerrequest.requestHeaderBundle",
		"authenticator.audAgnosticRequestAuthenticator": // upstream wraps no other whole
		return "front proxy's headers"
	case "anonymous.Authenticator":
		return "anonymous"
	}
	if f, ok := a.(Named); ok {
		return f.Name()
	}
	return name
}

// Named is an authenticator that says what it is.
type Named interface{ Name() string }

// asking is one authenticator of several.
type asking struct {
	name string
	next authenticator.Request
}

// AuthenticateRequest implements authenticator.Request.
func (a *asking) AuthenticateRequest(r *http.Request) (*authenticator.Response, bool, error) {
	t := of(r.Context())
	if t == nil {
		return a.next.AuthenticateRequest(r)
	}
	t.mu.Lock()
	place := len(t.asked) // before those that it asks
	t.asked = append(t.asked, Asked{Name: a.name})
	t.mu.Unlock()
	response, ok, err := a.next.AuthenticateRequest(r)
	t.mu.Lock()
	if place < len(t.asked) {
		t.asked[place] = answered(a.name, ok, err)
	}
	t.mu.Unlock()
	return response, ok, err
}

// authentication is the whole.
type authentication struct {
	bus  *trace.Bus
	next authenticator.Request
	// asks is how many the last request asked, which is how many most others do: their list is made once.
	asks atomic.Int32
}

// AuthenticateRequest implements authenticator.Request.
func (a *authentication) AuthenticateRequest(r *http.Request) (*authenticator.Response, bool, error) {
	t := of(r.Context())
	if t == nil {
		return a.next.AuthenticateRequest(r)
	}
	begin := time.Now()
	var headers []string
	if !t.light {
		headers = takenOff(r.Header) // upstream takes them off as soon as it is answered
	}
	t.mu.Lock()
	t.asked = make([]Asked, 0, a.asks.Load())
	t.mu.Unlock()
	response, ok, err := a.next.AuthenticateRequest(r)
	a.tell(t, audit.AuditContextFrom(r.Context()), begin, headers, response, ok)
	return response, ok, err
}

// tell tells of it. It stands by itself: below who asks lies a deep stack, which is copied where it grows.
func (a *authentication) tell(t *request, context *audit.AuditContext, begin time.Time, headers []string, response *authenticator.Response, ok bool) {
	t.mu.Lock()
	asked := t.asked
	t.audit, t.asked = context, nil
	isKnown := ok && response != nil && response.User != nil
	if isKnown {
		t.details.User = trace.Text(response.User.GetName())
	}
	name := t.details.User
	t.mu.Unlock()
	a.asks.Store(int32(len(asked)))
	if t.light && ok {
		return
	}
	d := &Authenticated{Asked: reasoned(asked)}
	kind := unknown
	if isKnown {
		kind = accepted
		d.TakenOff = headers
		d.User, d.UID, d.Groups = name, trace.Text(response.User.GetUID()), response.User.GetGroups()
	}
	a.bus.Add(trace.Step{At: begin, Took: time.Since(begin), Kind: kind, Component: component, Cause: t.ID, Details: d})
}
