package dex

import (
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// How long what a client says may be, in bytes: it is kept, and said again.
const (
	maxState     = 2048
	maxNonce     = 512
	maxScopes    = 1024
	maxChallenge = 128 // RFC 7636 has 43 to 128
	maxAddress   = 2048
)

// request is somebody's way through the pages, from /auth to the code.
type request struct {
	permit // who is nil until somebody has logged in
	proof  proof
	// returnTo is where the code goes, with state.
	returnTo, state string
	// approve says that the page that asks for approval may not be left out.
	approve bool
	// approval is a name that only who has logged in is told.
	approval string
}

// code is what a client redeems for tokens: it is good once.
type code struct {
	permit
	proof    proof
	returnTo string
}

// authorize is /auth: it begins a request.
func (s *server) authorize(w http.ResponseWriter, r *http.Request) {
	wanted, ok := s.form(w, r)
	if !ok {
		return
	}
	begun, why := s.requested(wanted)
	if why != nil {
		s.log.Error("failed to parse authorization request", "err", why.text, "client_id", short(wanted.Get("client_id")))
		if begun == nil {
			s.fail(w, http.StatusBadRequest, why.text)
			return
		}
		s.send(w, r, begun, url.Values{"error": {why.kind}, "error_description": {why.text}})
		return
	}
	id := secretName()
	s.requests.add(id, *begun)
	http.Redirect(w, r, s.path("/auth/"+local+"/login")+"?"+url.Values{"back": {""}, "state": {id}}.Encode(), http.StatusFound)
}

// requested reads what is wanted. With a request, what is wrong is said to the client: its address is its own. Without,
// it is said to whoever looks at the page, as nobody knows whose the address is.
func (s *server) requested(q url.Values) (*request, *refusal) {
	shown := func(text string) (*request, *refusal) { return nil, &refusal{text: text} }
	for _, bound := range []struct {
		name string
		most int
	}{{"client_id", maxState}, {"redirect_uri", maxAddress}, {"state", maxState}, {"nonce", maxNonce}, {"scope", maxScopes}, {"code_challenge", maxChallenge}} {
		if len(q.Get(bound.name)) > bound.most {
			return shown(fmt.Sprintf("%s is longer than %d bytes.", bound.name, bound.most))
		}
	}
	asking, ok := s.clients[q.Get("client_id")]
	if !ok {
		return shown("Invalid client_id.")
	}
	address := q.Get("redirect_uri")
	if !asking.mayReturnTo(address) {
		if address == deviceCallback {
			return shown("Unregistered redirect_uri. For device codes, redirectURIs of the client has to have " + deviceCallback + ".")
		}
		return shown("Unregistered redirect_uri.")
	}
	if address == deviceCallback {
		address = s.path(deviceCallback)
	}
	begun := &request{
		permit:   permit{client: asking, scopes: strings.Fields(q.Get("scope")), nonce: q.Get("nonce")},
		proof:    proofOf(q),
		returnTo: address, state: q.Get("state"),
		approve: q.Get("approval_prompt") == "force" || slices.Contains(strings.Fields(q.Get("prompt")), "consent"),
	}
	told := func(kind, text string) (*request, *refusal) { return begun, &refusal{kind: kind, text: text} }
	kinds := strings.Fields(q.Get("response_type"))
	switch {
	case q.Get("connector_id") != "" && q.Get("connector_id") != local:
		return told("invalid_request", "Invalid ConnectorID")
	case q.Get("request") != "":
		return told("request_not_supported", "Server does not support request parameter.")
	case begun.proof.challenge != "" && !slices.Contains(s.config.OAuth2.PKCE.Methods, begun.proof.method):
		return told("invalid_request", fmt.Sprintf("Unsupported PKCE challenge method (%q).", short(begun.proof.method)))
	case s.config.OAuth2.PKCE.Enforce && begun.proof.challenge == "" && address != s.path(deviceCallback):
		return told("invalid_request", "PKCE is required. The code_challenge parameter must be provided.")
	}
	if why := s.faulty(asking, begun.scopes); why != "" {
		return told("invalid_scope", why)
	}
	switch {
	case len(kinds) == 0:
		return told("invalid_request", "No response_type provided")
	case len(kinds) > 1 || kinds[0] != "code":
		return told("unsupported_response_type", fmt.Sprintf("Unsupported response type %q", short(q.Get("response_type"))))
	case slices.Contains(strings.Fields(q.Get("prompt")), "none"):
		return told("login_required", "User not authenticated")
	}
	return begun, nil
}

// finish gives the client its code, once: the request is over.
func (s *server) finish(w http.ResponseWriter, r *http.Request, id string) {
	done, ok := s.requests.take(id)
	if !ok || done.who == nil {
		s.fail(w, http.StatusBadRequest, "User session error.")
		return
	}
	name := secretName()
	s.codes.add(name, code{permit: done.permit, proof: done.proof, returnTo: done.returnTo})
	if done.returnTo == outOfBand {
		s.show(w, http.StatusOK, "oob", page{Code: name})
		return
	}
	s.send(w, r, &done, url.Values{"code": {name}})
}

// send goes back to the client, with what it is told in the address.
func (s *server) send(w http.ResponseWriter, r *http.Request, to *request, what url.Values) {
	if to.returnTo == outOfBand {
		s.fail(w, http.StatusBadRequest, what.Get("error_description"))
		return
	}
	u, err := url.Parse(to.returnTo)
	if err != nil {
		s.fail(w, http.StatusBadRequest, "Invalid redirect URI.")
		return
	}
	query := u.Query()
	query.Set("state", to.state)
	for name := range what {
		query.Set(name, what.Get(name))
	}
	u.RawQuery = query.Encode()
	http.Redirect(w, r, u.String(), http.StatusSeeOther)
}

// approval is the page that asks whether the client may know what it wants to.
func (s *server) approval(w http.ResponseWriter, r *http.Request) {
	q, ok := s.form(w, r)
	if !ok {
		return
	}
	id := q.Get("req")
	asked, ok := s.requests.get(id)
	switch {
	case !ok:
		s.fail(w, http.StatusBadRequest, "User session error.")
	case asked.who == nil || subtle.ConstantTimeCompare([]byte(asked.approval), []byte(q.Get("hmac"))) != 1:
		s.fail(w, http.StatusUnauthorized, "Unauthorized request")
	case r.Method != http.MethodPost:
		s.show(w, http.StatusOK, "approval", page{Client: asked.client.Name, User: asked.who.Email, Scopes: meanings(asked.scopes), ID: id, Approval: asked.approval})
	case q.Get("approval") != "approve":
		s.requests.take(id)
		s.deny(asked)
		s.fail(w, http.StatusForbidden, "Approval rejected.")
	default:
		s.finish(w, r, id)
	}
}
