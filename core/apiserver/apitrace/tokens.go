package apitrace

import (
	"context"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/websocket"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	"k8s.io/utils/lru"
)

// tokens stands before all that know tokens, and before upstream's cache of what they said.
type tokens struct {
	next authenticator.Token

	mu sync.Mutex
	// presented are those that are looked at now: behind the cache nobody knows which request it is for.
	presented map[presented]*presentation
	// accepted are who knew a token, by the response that the cache keeps for some seconds.
	accepted *lru.Cache
}

// presented is what the cache holds for the same: a token for the same audiences.
type presented struct{ token, audiences string }

// presentation is of one token, for as many requests as come with it at the same time.
type presentation struct {
	requests int
	asked    []Asked
}

// maxAccepted bounds of how many responses it is known who gave them.
const maxAccepted = 256

// remembered is the reason of an answer for which nobody was asked.
const remembered = "the server remembers what it said some seconds ago"

// tokenAuthenticators wraps all that a bearer token's authenticator asks, once for it and the one of WebSockets. It
// leaves alone what it does not know.
func tokenAuthenticators(a authenticator.Request, known *tokens, names *[]string) *tokens {
	switch a.(type) {
	case *bearertoken.Authenticator, *websocket.ProtocolAuthenticator:
	default:
		return known
	}
	auth := inside(reflect.ValueOf(a), "auth")
	next, ok := auth.Interface().(authenticator.Token)
	if !ok {
		return known
	}
	if known == nil {
		known = &tokens{next: next, presented: map[presented]*presentation{}, accepted: lru.New(maxAccepted)}
		known.wrap(next, names)
	}
	auth.Set(reflect.ValueOf(known))
	return known
}

// wrap wraps each of upstream's union, which its cache may be before. Neither type is exported.
func (t *tokens) wrap(next authenticator.Token, names *[]string) {
	if behind, ok := inside(reflect.ValueOf(next), "authenticator").Interface().(authenticator.Token); ok {
		next = behind
	}
	list, ok := inside(reflect.ValueOf(next), "Handlers").Interface().([]authenticator.Token)
	if !ok {
		return
	}
	for i, one := range list {
		name := tokenName(one)
		*names = append(*names, name)
		list[i] = &knowing{name: name, of: t, next: one}
	}
}

// inside is a field of what v points to, exported or not; one that holds nil if there is none.
func inside(v reflect.Value, field string) reflect.Value {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || !v.CanAddr() {
		return none
	}
	f := v.FieldByName(field)
	if !f.IsValid() {
		return none
	}
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

var none = reflect.ValueOf(new(any)).Elem()

// tokenName is what people call one that knows tokens: of upstream's by its type.
func tokenName(a authenticator.Token) string {
	if delegate, ok := inside(reflect.ValueOf(a), "delegate").Interface().(authenticator.Token); ok {
		a = delegate // audAgnosticTokenAuthenticator
	}
	name := strings.TrimPrefix(reflect.TypeOf(a).String(), "*")
	switch of := a.(type) {
	case *tokenfile.TokenAuthenticator:
		return "token file"
	case authenticator.TokenFunc: // the issuers of the configuration, which may be read anew
		return "OIDC"
	case Named:
		return of.Name()
	}
	switch {
	case strings.HasPrefix(name, "serviceaccount.jwtTokenAuthenticator[") && strings.Contains(name, ".legacyPrivateClaims]"):
		return "service account, legacy"
	case strings.HasPrefix(name, "serviceaccount.jwtTokenAuthenticator["):
		return "service account"
	case name == "bootstrap.TokenAuthenticator":
		return "bootstrap token"
	case strings.HasPrefix(name, "cache."): // it has one of its own
		return "token webhook"
	}
	return name
}

// AuthenticateToken implements authenticator.Token.
func (t *tokens) AuthenticateToken(ctx context.Context, token string) (*authenticator.Response, bool, error) {
	r := of(ctx)
	if r == nil {
		return t.next.AuthenticateToken(ctx, token)
	}
	which := presentedFor(ctx, token)
	p := t.begin(which)
	response, ok, err := t.next.AuthenticateToken(ctx, token)
	asked := t.end(which, p)
	if ok && (len(asked) == 0 || asked[len(asked)-1].Answer != "accepted") {
		if name, known := t.accepted.Get(response); known {
			asked = []Asked{{Name: name.(string), Answer: "accepted", Reason: remembered}}
		}
	}
	r.mu.Lock()
	r.asked = append(r.asked, asked...)
	r.mu.Unlock()
	return response, ok, err
}

func presentedFor(ctx context.Context, token string) presented {
	audiences, _ := authenticator.AudiencesFrom(ctx)
	return presented{token, strings.Join(audiences, "\n")}
}

func (t *tokens) begin(which presented) *presentation {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.presented[which]
	if p == nil {
		p = &presentation{}
		t.presented[which] = p
	}
	p.requests++
	return p
}

// end gives what was said, and forgets the token with the last request that came with it.
func (t *tokens) end(which presented, p *presentation) []Asked {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.requests--; p.requests == 0 {
		delete(t.presented, which)
	}
	return append([]Asked(nil), p.asked...)
}

// said notes an answer for the requests that wait for it.
func (t *tokens) said(which presented, a Asked) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.presented[which]
	if p == nil {
		return // nobody follows them
	}
	// The cache asks once for all that come together, and once more for who came when it had been answered.
	for i := range p.asked {
		if p.asked[i].Name == a.Name {
			p.asked = p.asked[:i]
			break
		}
	}
	p.asked = append(p.asked, a)
}

// knowing is one that may know a token.
type knowing struct {
	name string
	of   *tokens
	next authenticator.Token
}

// AuthenticateToken implements authenticator.Token.
func (k *knowing) AuthenticateToken(ctx context.Context, token string) (*authenticator.Response, bool, error) {
	response, ok, err := k.next.AuthenticateToken(ctx, token)
	if ok && err == nil {
		k.of.accepted.Add(response, k.name)
	}
	k.of.said(presentedFor(ctx, token), answered(k.name, ok, err))
	return response, ok, err
}

// answered is what an authenticator's answer comes to. What class of error it was is found when it is told: most
// requests are accepted by one that is asked later, and their way is not always told.
func answered(name string, ok bool, err error) Asked {
	switch {
	case err != nil:
		return Asked{Name: name, Answer: "refused", err: err}
	case ok:
		return Asked{Name: name, Answer: "accepted"}
	}
	return Asked{Name: name, Answer: "not mine"}
}
