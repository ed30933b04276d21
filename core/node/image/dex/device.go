package dex

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// pollEvery is how long a device waits between two questions, in seconds; who asks sooner is told to wait for as much
// longer.
const pollEvery = 5

// maxInterval bounds that, in seconds.
const maxInterval = 300

// device is one that waits until somebody has logged in for it elsewhere (RFC 8628).
type device struct {
	client *client
	scopes []string
	proof  proof
	user   string // the code that the person types
	until  time.Time

	granted *tokens
	denied  bool
	// asked is when it asked last; it is to ask again after interval seconds.
	asked    time.Time
	interval int
}

// deviceCode is /device/code: a device begins.
func (s *server) deviceCode(w http.ResponseWriter, r *http.Request) {
	q, ok := s.form(w, r)
	if !ok {
		return
	}
	asking, why := s.authenticate(r)
	if why != nil {
		s.refuse(w, why)
		return
	}
	one := device{client: asking, scopes: strings.Fields(q.Get("scope")), proof: proofOf(q), user: newUserCode()}
	if len(one.scopes) == 0 {
		one.scopes = []string{scopeOpenID}
	}
	switch {
	case one.proof.method != methodS256 && one.proof.method != methodPlain:
		s.refuse(w, &refusal{http.StatusBadRequest, "invalid_request", "Unsupported PKCE challenge method."})
		return
	case len(q.Get("scope")) > maxScopes || len(one.proof.challenge) > maxChallenge:
		s.refuse(w, &refusal{http.StatusBadRequest, "invalid_request", "scope or code_challenge is too long."})
		return
	}
	if why := s.faulty(asking, one.scopes); why != "" {
		s.refuse(w, &refusal{http.StatusBadRequest, "invalid_scope", why})
		return
	}
	s.log.Info("received device request", "client_id", asking.ID, "scoped", one.scopes)
	name := secretName() + secretName()
	one.until = time.Now().Add(s.config.devices)
	s.devices.add(name, one)
	s.userCodes.add(one.user, name)
	at := s.address("/device")
	say(w, http.StatusOK, struct {
		Device   string `json:"device_code"`
		User     string `json:"user_code"`
		At       string `json:"verification_uri"`
		Complete string `json:"verification_uri_complete"`
		Expires  int    `json:"expires_in"`
		Interval int    `json:"interval"`
	}{name, one.user, at, at + "?user_code=" + one.user, int(s.config.devices.Seconds()), pollEvery})
}

// newUserCode is dex's: letters without vowels, so that they make no word.
func newUserCode() string {
	const letters = "BCDFGHJKLMNPQRSTVWXZ"
	var code []byte
	for one := make([]byte, 1); len(code) < 8; {
		_, _ = rand.Read(one) // it never fails
		if int(one[0]) < 256-256%len(letters) {
			code = append(code, letters[int(one[0])%len(letters)])
		}
	}
	return string(code[:4]) + "-" + string(code[4:])
}

// deviceForm is /device: it asks for the code that the device shows.
func (s *server) deviceForm(w http.ResponseWriter, r *http.Request) {
	s.show(w, http.StatusOK, "device", page{Code: short(r.URL.Query().Get("user_code"))})
}

// verifyCode leads who typed a device's code to the login.
func (s *server) verifyCode(w http.ResponseWriter, r *http.Request) {
	q, ok := s.form(w, r)
	if !ok {
		return
	}
	typed := strings.ToUpper(strings.TrimSpace(short(q.Get("user_code"))))
	leave, err := s.guesses.enter(r.Context())
	if err != nil {
		s.show(w, http.StatusServiceUnavailable, "device", page{Code: typed, Problem: err.Error()})
		return
	}
	one, ok := s.waiting(typed)
	leave(!ok)
	if !ok {
		s.show(w, http.StatusOK, "device", page{Code: typed, Problem: "Invalid or Expired User Code"})
		return
	}
	http.Redirect(w, r, s.path("/auth")+"?"+url.Values{
		"client_id": {one.client.ID}, "state": {one.user}, "response_type": {"code"}, "redirect_uri": {deviceCallback},
		"scope": {strings.Join(one.scopes, " ")},
	}.Encode(), http.StatusFound)
}

// waiting is the device that waits under the code which a person has typed.
func (s *server) waiting(user string) (one device, ok bool) {
	if name, known := s.userCodes.get(user); known {
		one, ok = s.devices.get(name)
	}
	return one, ok && one.granted == nil && !one.denied && time.Now().Before(one.until)
}

// deviceDone is where the login for a device ends: what it has got is kept until it asks.
func (s *server) deviceDone(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if text := q.Get("error"); text != "" {
		s.log.Error("OAuth2 authorization error", "error", short(text), "error_description", short(q.Get("error_description")))
		s.fail(w, http.StatusBadRequest, "Authorization failed. Please try again.")
		return
	}
	got, ok := s.codes.take(q.Get("code"))
	if !ok || got.returnTo != s.path(deviceCallback) {
		s.fail(w, http.StatusBadRequest, "Invalid or expired auth code.")
		return
	}
	one, ok := s.waiting(q.Get("state"))
	if !ok {
		s.fail(w, http.StatusBadRequest, "Invalid or expired user code.")
		return
	}
	// A code of one client is nothing to a device of another.
	if got.client != one.client {
		s.fail(w, http.StatusBadRequest, "Invalid or expired auth code.")
		return
	}
	made, err := s.grant(got.permit, q.Get("code"))
	if err != nil {
		s.log.Error("could not issue tokens for device flow", "client_id", one.client.ID, "err", err)
		s.fail(w, http.StatusInternalServerError, "Failed to exchange auth code.")
		return
	}
	name, _ := s.userCodes.take(one.user)
	s.devices.change(name, func(kept *device) { kept.granted = made })
	s.show(w, http.StatusOK, "deviceDone", page{Client: one.client.Name})
}

// deny tells a device that its person said no.
func (s *server) deny(asked request) {
	if asked.returnTo != s.path(deviceCallback) {
		return
	}
	if one, ok := s.waiting(asked.state); ok && one.client == asked.client {
		name, _ := s.userCodes.take(one.user)
		s.devices.change(name, func(kept *device) { kept.denied = true })
	}
}

// byDevice answers a device that asks whether somebody has logged in.
func (s *server) byDevice(q url.Values) (*tokens, *refusal) {
	name := q.Get("device_code")
	if name == "" {
		return nil, &refusal{http.StatusBadRequest, "invalid_request", "No device code received"}
	}
	var got *tokens
	why := &refusal{http.StatusBadRequest, "invalid_request", "Invalid Device code."}
	s.devices.change(name, func(one *device) {
		if id := q.Get("client_id"); id != "" && id != one.client.ID {
			return
		}
		now := time.Now()
		soon := now.Before(one.asked.Add(time.Duration(one.interval) * time.Second))
		switch {
		case now.After(one.until):
			why = &refusal{status: http.StatusBadRequest, kind: "expired_token"}
		case one.denied:
			why = &refusal{http.StatusBadRequest, "access_denied", "Approval rejected."}
		case one.granted != nil:
			if why = one.proof.given(q.Get("code_verifier")); why == nil {
				got = one.granted
			}
		case soon:
			one.asked, one.interval = now, min(one.interval+pollEvery, maxInterval)
			why = &refusal{status: http.StatusBadRequest, kind: "slow_down"}
		default:
			one.asked, one.interval = now, max(one.interval, pollEvery)
			why = &refusal{status: http.StatusBadRequest, kind: "authorization_pending"}
		}
	})
	if got == nil {
		return nil, why
	}
	// Whoever takes it first has it: it is given once.
	if _, ok := s.devices.take(name); !ok {
		return nil, &refusal{http.StatusBadRequest, "invalid_request", "Invalid Device code."}
	}
	return got, nil
}
