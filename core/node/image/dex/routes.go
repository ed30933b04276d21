package dex

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxForm is how much of a request's body is read, maxShort how much of a text is shown or logged, in bytes.
const (
	maxForm  = 16 << 10
	maxShort = 200
)

// server is one dex.
type server struct {
	p       *program.Process
	config  *config
	log     *slog.Logger
	key     *key
	clients map[string]*client // by ID
	people  map[string]*person // by their address in small letters
	// decoy is the hash that nobody's password is compared with.
	decoy string

	passwords, guesses *gate

	requests  *table[request]
	codes     *table[code]
	devices   *table[device]
	userCodes *table[string] // of devices, by what people type
	refreshes *table[refresh]
	refreshOf *table[string] // of refreshes, by whose they are
}

func newServer(p *program.Process, c *config, log *slog.Logger, k *key) *server {
	s := &server{
		p: p, config: c, log: log, key: k, clients: map[string]*client{}, people: map[string]*person{}, passwords: newGate(), guesses: newGate(),
		requests: newTable[request](maxRequests, c.authRequests), codes: newTable[code](maxCodes, codesLive),
		// Kept for longer than they are good for, so that a device hears why.
		devices: newTable[device](maxDevices, 2*c.devices), userCodes: newTable[string](maxDevices, c.devices),
		refreshes: newTable[refresh](maxRefresh, 0), refreshOf: newTable[string](maxRefresh, 0),
	}
	for _, one := range c.StaticClients {
		s.clients[one.ID] = one
	}
	for _, one := range c.StaticPasswords {
		s.people[strings.ToLower(one.Email)], s.decoy = one, one.Hash
	}
	return s
}

// handler is every request that it answers, below the issuer's path.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range map[string]http.HandlerFunc{
		"GET /{$}":                              s.home,
		"GET /.well-known/openid-configuration": s.discovery,
		"GET /keys":                             s.keys,
		"GET /auth":                             s.authorize,
		"POST /auth":                            s.authorize,
		"GET /auth/local":                       s.authorize,
		"POST /auth/local":                      s.authorize,
		"GET /auth/local/login":                 s.login,
		"POST /auth/local/login":                s.login,
		"GET /approval":                         s.approval,
		"POST /approval":                        s.approval,
		"POST /token":                           s.token,
		"GET /userinfo":                         s.userinfo,
		"POST /userinfo":                        s.userinfo,
		"POST /device/code":                     s.deviceCode,
		"GET /device":                           s.deviceForm,
		"POST /device/auth/verify_code":         s.verifyCode,
		"GET " + deviceCallback:                 s.deviceDone,
		"GET /healthz":                          healthy,
	} {
		mux.HandleFunc(pattern, h)
	}
	prefix := s.prefix()
	below := http.StripPrefix(prefix, mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.p.Cgroup.Busy()()
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		bound(w.Header())
		rest, ok := strings.CutPrefix(r.URL.Path, prefix)
		switch {
		case ok && strings.HasPrefix(rest, "/"):
			below.ServeHTTP(w, r)
		case r.URL.Path == "/" || ok && rest == "":
			// Whoever opens the Service itself finds the way.
			http.Redirect(w, r, s.path("/"), http.StatusFound)
		default:
			s.fail(w, http.StatusNotFound, "Page not found")
		}
	})
}

func healthy(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "Health check passed") }

// prefix is the issuer's path, without a slash at its end.
func (s *server) prefix() string { return strings.TrimRight(s.config.issuer.Path, "/") }

// path is where something is on this host. Pages lead each other by paths: how somebody has come here, by the issuer's name
// or another, is his.
func (s *server) path(name string) string {
	return (&url.URL{Path: s.prefix() + name}).EscapedPath()
}

// address is path, with the issuer before it.
func (s *server) address(name string) string {
	u := *s.config.issuer
	u.Path, u.RawPath = s.prefix()+name, ""
	return u.String()
}

// form reads the fields of address and body; what is none is answered here.
func (s *server) form(w http.ResponseWriter, r *http.Request) (url.Values, bool) {
	err := r.ParseForm()
	if err == nil {
		return r.Form, true
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		s.fail(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("The form is larger than %d bytes.", maxForm))
	} else {
		s.fail(w, http.StatusBadRequest, "Failed to parse request.")
	}
	return nil, false
}

// refusal is why a client gets nothing, in OAuth's words.
type refusal struct {
	status int
	kind   string
	text   string
}

func (s *server) refuse(w http.ResponseWriter, why *refusal) {
	say(w, why.status, struct {
		Error string `json:"error"`
		Text  string `json:"error_description,omitempty"`
	}{why.kind, why.text})
}

func say(w http.ResponseWriter, status int, what any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	_ = out.Encode(what) // to who has asked: he may have gone
}

// valid refuses what is over, and what another issuer's key of the same name would say.
func (s *server) valid(said []byte) error {
	var c struct {
		Issuer string `json:"iss"`
		Expiry int64  `json:"exp"`
	}
	if err := json.Unmarshal(said, &c); err != nil {
		return err
	}
	if c.Issuer != s.config.Issuer {
		return errors.New("the token is of another issuer")
	}
	if time.Now().After(time.Unix(c.Expiry, 0)) {
		return errors.New("the token is expired")
	}
	return nil
}

// short is as much of a stranger's text as is shown or logged.
func short(text string) string {
	if len(text) > maxShort {
		return strings.ToValidUTF8(text[:maxShort], "") + "…"
	}
	return text
}

// quoted is as much of a list as is said.
func quoted(list []string) string { return short(fmt.Sprintf("%q", list)) }
