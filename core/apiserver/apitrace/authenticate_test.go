package apitrace

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	authgroup "k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/request/websocket"
	tokencache "k8s.io/apiserver/pkg/authentication/token/cache"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	tokenunion "k8s.io/apiserver/pkg/authentication/token/union"
	"k8s.io/apiserver/pkg/authentication/user"
	authenticationapi "k8s.io/kubernetes/pkg/apis/authentication"
	"k8s.io/kubernetes/pkg/registry/authentication/tokenreview"

	"github.com/tabernetes/tabernetes/core/trace"
)

// presentedToken is one that its authenticator quotes when it refuses it.
const presentedToken = "c4n4ry-of-a-token"

// chained puts upstream's authenticators together as upstream does, and wraps them.
func chained(bus *trace.Bus, issuer authenticator.TokenFunc) (authenticator.Request, []string) {
	agnostic := func(t authenticator.Token) authenticator.Token {
		return authenticator.WrapAudienceAgnosticToken(authenticator.Audiences{"api"}, t)
	}
	hook := authenticator.TokenFunc(func(_ context.Context, token string) (*authenticator.Response, bool, error) {
		return &authenticator.Response{User: &user.DefaultInfo{Name: "ann"}}, token == "hooked", nil
	})
	known := tokencache.New(tokenunion.New(
		agnostic(tokenfile.New(map[string]*user.DefaultInfo{"filed": {Name: "jane"}})),
		issuer,
		tokencache.New(hook, false, time.Minute, time.Minute),
	), true, time.Minute, 0)
	chain := union.NewFailOnError(
		authgroup.NewAuthenticatedGroupAdder(union.New(bearertoken.New(known), websocket.NewProtocolAuthenticator(known))),
		anonymous.NewAuthenticator(nil),
	)
	return authenticators(bus, chain)
}

// presenting authenticates a request of a bearer token as one that is traced, and gives its step.
func presenting(bus *trace.Bus, chain authenticator.Request, token string) *Authenticated {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	id := bus.Reserve()
	r = r.WithContext((&request{Request: trace.Request{ID: id}, bus: bus}).in(r.Context()))
	_, _, _ = chain.AuthenticateRequest(r)
	steps, _ := bus.All()
	for _, s := range slices.Backward(steps) {
		if d, ok := s.Details.(*Authenticated); ok && s.Cause == id {
			return d
		}
	}
	return nil
}

func lines(d *Authenticated) string {
	var all []string
	for _, a := range d.Asked {
		all = append(all, strings.TrimSuffix(a.Name+": "+a.Answer+", "+a.Reason, ", "))
	}
	return strings.Join(all, "\n")
}

// TestWhatIsTakenOff: of a request that is accepted the names of the headers that upstream takes off it, and nothing
// that a client has put into them; of one that is refused none is.
func TestWhatIsTakenOff(t *testing.T) {
	for _, c := range []struct {
		headers map[string]string
		accepts bool
		want    string
	}{
		{map[string]string{"Authorization": "Bearer CANARY", "X-Remote-User": "CANARY", "X-Remote-Extra-Canary": "CANARY", "X-Other": "CANARY"}, true, "Authorization X-Remote-User X-Remote-Extra-"},
		{map[string]string{"X-Remote-Group": "CANARY", "X-Remote-Uid": "CANARY"}, true, "X-Remote-Uid X-Remote-Group"},
		{map[string]string{"Accept": "*/*"}, true, ""},
		{map[string]string{"Authorization": "Bearer CANARY", "X-Remote-User": "CANARY"}, false, ""},
	} {
		bus := trace.New()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		for name, value := range c.headers {
			r.Header.Set(name, value)
		}
		r = r.WithContext((&request{Request: trace.Request{ID: bus.Reserve()}, bus: bus}).in(r.Context()))
		next := authenticator.RequestFunc(func(*http.Request) (*authenticator.Response, bool, error) {
			return &authenticator.Response{User: &user.DefaultInfo{Name: "jane"}}, c.accepts, nil
		})
		_, _, _ = (&authentication{bus: bus, next: next}).AuthenticateRequest(r)
		steps, _ := bus.All()
		d := steps[0].Details.(*Authenticated)
		if got := strings.Join(d.TakenOff, " "); got != c.want || strings.Contains(strings.ToUpper(string(steps[0].JSON(true))), "CANARY") {
			t.Errorf("%v: %q, want %q: %s", c.headers, got, c.want, steps[0].JSON(true))
		}
	}
}

// TestWhoKnewTheToken: each that was asked for a token is told of, behind upstream's cache, with its answer.
func TestWhoKnewTheToken(t *testing.T) {
	bus := trace.New()
	chain, names := chained(bus, func(_ context.Context, token string) (*authenticator.Response, bool, error) {
		if token == presentedToken {
			return nil, false, fmt.Errorf("oidc: verify token: oidc: token is expired: %s", token)
		}
		return nil, false, nil
	})
	if got := strings.Join(names, ", "); got != "bearer token, token file, OIDC, token webhook, bearer token of a WebSocket, anonymous" {
		t.Fatal(got)
	}
	for _, c := range []struct{ name, token, user, want string }{
		{"no token", "", "system:anonymous", "bearer token: not mine\nbearer token of a WebSocket: not mine\nanonymous: accepted"},
		{"the file's", "filed", "jane", "bearer token: accepted\ntoken file: accepted"},
		{"the file's, again", "filed", "jane", "bearer token: accepted\ntoken file: accepted, " + remembered},
		{"the webhook's", "hooked", "ann", "bearer token: accepted\ntoken file: not mine\nOIDC: not mine\ntoken webhook: accepted"},
		{"nobody's", "gu3ss", "", "bearer token: refused, nobody knows the token\ntoken file: not mine\nOIDC: not mine\ntoken webhook: not mine\nbearer token of a WebSocket: not mine"},
		{"an expired one", presentedToken, "", "bearer token: refused, the token has expired\ntoken file: not mine\nOIDC: refused, the token has expired\ntoken webhook: not mine\nbearer token of a WebSocket: not mine"},
	} {
		d := presenting(bus, chain, c.token)
		if d == nil || d.User != c.user || lines(d) != c.want {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
	steps, _ := bus.All()
	for i := range steps {
		if text := string(steps[i].JSON(true)) + fmt.Sprintf("%+v", steps[i]); strings.Contains(text, presentedToken) {
			t.Errorf("the token is told: %s", text)
		}
	}
	brief, err := json.Marshal((&Authenticated{Asked: []Asked{{Name: "bearer token", Answer: "refused", Reason: "nobody knows the token"}, {Name: "OIDC", Answer: "refused", Reason: "the token has expired"}}}).Brief())
	if err != nil || !strings.Contains(string(brief), `"reason":"OIDC: the token has expired"`) {
		t.Errorf("%s, %v", brief, err)
	}
	// A server that runs does not keep what was presented to it.
	w := wrapping{}
	known := tokencache.New(tokenunion.New(authenticator.TokenFunc(nil), authenticator.TokenFunc(nil)), true, 0, 0)
	w.each(bearertoken.New(known))
	if w.tokens == nil || len(w.tokens.presented) != 0 {
		t.Errorf("%+v", w.tokens)
	}
}

// TestTokensAtTheSameTime: requests that come with one token while it is looked at have one answer, and each is told
// who gave it; then nothing is kept of the token.
func TestTokensAtTheSameTime(t *testing.T) {
	bus := trace.New()
	asked, answer := make(chan struct{}), make(chan struct{})
	var once sync.Once
	chain, _ := chained(bus, func(_ context.Context, token string) (*authenticator.Response, bool, error) {
		once.Do(func() { close(asked) })
		<-answer
		return &authenticator.Response{User: &user.DefaultInfo{Name: "eve"}}, true, nil
	})
	told := make(chan *Authenticated)
	for range 20 {
		go func() { told <- presenting(bus, chain, presentedToken) }()
	}
	<-asked
	close(answer)
	for range 20 {
		d := <-told
		if d == nil || d.User != "eve" || d.Asked[len(d.Asked)-1].Name != "OIDC" || d.Asked[len(d.Asked)-1].Answer != "accepted" {
			t.Errorf("%+v", d)
		}
	}
	whole := chain.(*authentication).next
	bearer := inside(inside(reflect.ValueOf(whole), "Handlers").Index(0), "Authenticator")
	handlers := inside(bearer, "Handlers").Interface().([]authenticator.Request)
	known := inside(reflect.ValueOf(handlers[0].(*asking).next), "auth").Interface().(*tokens)
	if len(known.presented) != 0 {
		t.Errorf("%d tokens are kept", len(known.presented))
	}
}

// TestTokenReviewIsOfAnother: whom a TokenReview's token is of is asked of the same authenticators while its request is
// served, and the request stays its sender's.
func TestTokenReviewIsOfAnother(t *testing.T) {
	bus := trace.New()
	chain, _ := chained(bus, func(context.Context, string) (*authenticator.Response, bool, error) { return nil, false, nil })
	traced := &request{Request: trace.Request{ID: bus.Reserve()}, bus: bus}
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.Header.Set("Authorization", "Bearer filed")
	r = r.WithContext(traced.in(r.Context()))
	if _, ok, err := chain.AuthenticateRequest(r); !ok || err != nil {
		t.Fatal(ok, err)
	}
	o, err := tokenreview.NewREST(chain, nil).Create(r.Context(), &authenticationapi.TokenReview{Spec: authenticationapi.TokenReviewSpec{Token: "hooked"}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if who := o.(*authenticationapi.TokenReview).Status.User.Username; who != "ann" {
		t.Errorf("the token is %q's", who)
	}
	steps, _ := bus.All()
	if len(steps) != 1 || steps[0].Details.(*Authenticated).User != "jane" || traced.details.User != "jane" || len(traced.asked) != 0 {
		t.Errorf("%+v, of %q, asked %v", steps, traced.details.User, traced.asked)
	}
}

// TestWhy: an error's class is said in words of ours, and nothing of the error.
func TestWhy(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{x509.CertificateInvalidError{Reason: x509.Expired, Detail: presentedToken}, "a certificate has expired, or is not valid yet"},
		{fmt.Errorf("verifying certificate %s failed: %w", presentedToken, x509.UnknownAuthorityError{}), "no authority that it trusts has signed the certificate"},
		{&url.Error{Op: "Post", URL: presentedToken, Err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}}, "who has to be asked cannot be reached"},
		{&url.Error{Op: "Post", URL: presentedToken, Err: context.DeadlineExceeded}, "who has to be asked does not answer in time"},
		{apierrors.NewInternalError(errors.New(presentedToken)), "who has to be asked answers with an error"},
		{errors.New("oidc: authenticator not initialized"), "the issuer's keys have not been read yet"},
		{errors.New(`oidc: verify token: oidc: expected audience in ["a"] got ["` + presentedToken + `"]`), "the token is for another audience"},
		{errors.New("service account token is not valid yet"), "the token is not valid yet"},
		{errors.New(presentedToken), ""},
	} {
		if got := why(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
	for _, c := range classes {
		if c.says == "" || c.reason == "" {
			t.Errorf("%+v", c)
		}
	}
}
