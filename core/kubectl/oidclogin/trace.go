package oidclogin

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/trace"
)

var (
	found = trace.Declare(trace.Kubectl, "login.discovery", trace.Place{
		Package: "github.com/coreos/go-oidc", Func: "NewProvider", Text: "resp, err := doRequest(ctx, req)",
	})
	authorized = trace.Declare(trace.Kubectl, "login.authorization", trace.Place{
		Package: "golang.org/x/oauth2", Func: "retrieveDeviceAuth", Text: "r, err := internal.ContextClient(ctx).Do(req)",
	})
	authorizedByCode = authorized.Where("code", trace.Place{
		Package: "golang.org/x/oauth2", Func: "Config.AuthCodeURL", Text: "buf.WriteString(v.Encode())",
	})
	exchanged = trace.Declare(trace.Kubectl, "login.token", trace.Place{
		Package: "golang.org/x/oauth2/internal", Func: "doTokenRoundTrip", Text: "r, err := ContextClient(ctx).Do(req.WithContext(ctx))",
	})
	keyed = trace.Declare(trace.Kubectl, "login.keys", trace.Place{
		Package: "github.com/coreos/go-oidc", Func: "remoteKeySet.updateKeys", Text: "resp, err := doRequest(r.ctx, req)",
	})
)

// Asked are the details of the login's steps: which request it was, and what came of it. Neither codes nor tokens nor
// passwords are among them.
type Asked struct {
	Method string `json:"method,omitempty"`
	// URL is without its query.
	URL  string `json:"url"`
	Code int    `json:"code,omitempty"`
	// Grant is what login.token shows to get a token: "device_code", "authorization_code", "refresh_token", "password".
	Grant string `json:"grant,omitempty"`
	// Outcome is OAuth's word for why there is no token: "authorization_pending".
	Outcome string `json:"outcome,omitempty"`
	// Repeated is how many answers before came out the same and are no steps.
	Repeated int    `json:"repeated,omitempty"`
	Error    string `json:"error,omitempty"`
}

const component = "kubectl"

// telling tells of a login's requests.
type telling struct {
	bus   *trace.Bus // nil: nobody
	cause trace.ID

	mu      sync.Mutex
	kinds   map[string]*trace.Kind // by URL
	repeats trace.Repeats
}

func newTelling(bus *trace.Bus, cause trace.ID, discovery string) *telling {
	return &telling{bus: bus, cause: cause, kinds: map[string]*trace.Kind{discovery: found}}
}

// endpoints says which requests are which.
func (t *telling) endpoints(kinds map[string]*trace.Kind) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for at, kind := range kinds {
		if at != "" && t.kinds[at] == nil {
			t.kinds[at] = kind
		}
	}
}

// sent tells that a person was sent to an address, which asks nobody.
func (t *telling) sent(at string) {
	if t.bus != nil {
		t.bus.Add(trace.Step{Kind: authorizedByCode, Component: component, Cause: t.cause, Details: &Asked{URL: trace.Address(at)}})
	}
}

// transport bounds what an issuer answers, and tells of each request.
type transport struct {
	*telling
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	begin := time.Now()
	grant := grantOf(r)
	response, err := t.next.RoundTrip(r)
	if response != nil {
		response.Body = &bounded{response.Body, maxAnswer}
	}
	t.mu.Lock()
	kind := t.kinds[r.URL.String()]
	t.mu.Unlock()
	if t.bus == nil || kind == nil {
		return response, err
	}
	d := &Asked{Method: r.Method, URL: trace.Address(r.URL.String()), Grant: grant}
	if err != nil {
		d.Error = trace.Text(err.Error())
	} else if d.Code = response.StatusCode; d.Code >= http.StatusBadRequest {
		d.Outcome = outcome(response)
	}
	tell, untold := t.repeats.Tell(r.URL.String(), d.Grant+d.Outcome)
	if !tell {
		return response, err
	}
	d.Repeated = untold
	t.bus.Add(trace.Step{At: begin, Took: time.Since(begin), Kind: kind, Component: component, Cause: t.cause, Details: d})
	return response, err
}

// grants are OAuth's words for what a token is given for, and outcomes for why it is not (RFC 6749 and 8628).
var (
	grants   = []string{"authorization_code", "refresh_token", "password", "urn:ietf:params:oauth:grant-type:device_code"}
	outcomes = []string{
		"authorization_pending", "slow_down", "access_denied", "expired_token", "invalid_request", "invalid_client", "invalid_grant",
		"unauthorized_client", "unsupported_grant_type", "invalid_scope",
	}
)

// grantOf is what a request for a token shows, of its form; "" for any other request.
func grantOf(r *http.Request) string {
	if r.Method != http.MethodPost || r.GetBody == nil {
		return ""
	}
	body, err := r.GetBody()
	if err != nil {
		return ""
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err != nil {
		return ""
	}
	form, err := url.ParseQuery(string(text))
	if grant := form.Get("grant_type"); err == nil && slices.Contains(grants, grant) {
		return grant[strings.LastIndex(grant, ":")+1:]
	}
	return ""
}

// outcome is OAuth's word of an answer, which can still be read.
func outcome(response *http.Response) string {
	text, err := io.ReadAll(response.Body)
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(text), failing{err}), response.Body}
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(text, &said) != nil || !slices.Contains(outcomes, said.Error) {
		return "refused"
	}
	return said.Error
}

// failing is the rest of a body that could not be read; nil is its end.
type failing struct{ err error }

// Read implements io.Reader.
func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}
