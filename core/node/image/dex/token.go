package dex

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	byCode     = "authorization_code"
	byRefresh  = "refresh_token"
	byPassword = "password"
	byDevice   = "urn:ietf:params:oauth:grant-type:device_code"
)

// grants are those that are configured, of those that are here.
func (c *config) grants() []string {
	all := []string{byCode, byPassword, byRefresh, byDevice}
	return slices.DeleteFunc(all, func(kind string) bool {
		return kind == byPassword && c.OAuth2.PasswordConnector == "" ||
			len(c.OAuth2.GrantTypes) > 0 && !slices.Contains(c.OAuth2.GrantTypes, kind)
	})
}

// token is /token: what was got elsewhere is redeemed for tokens.
func (s *server) token(w http.ResponseWriter, r *http.Request) {
	if _, ok := s.form(w, r); !ok {
		return
	}
	q := r.PostForm // the address is in logs: nothing of it counts
	kind := q.Get("grant_type")
	if !slices.Contains(s.config.grants(), kind) {
		s.log.Error("unsupported grant type", "grant_type", short(kind))
		s.refuse(w, &refusal{status: http.StatusBadRequest, kind: "unsupported_grant_type"})
		return
	}
	var got *tokens
	var why *refusal
	if kind == byDevice {
		got, why = s.byDevice(q) // the device's code is all that it shows, as dex has it
	} else if asking, refused := s.authenticate(r); refused != nil {
		why = refused
	} else {
		switch kind {
		case byCode:
			got, why = s.byCode(asking, q)
		case byPassword:
			got, why = s.byPassword(r, asking, q)
		case byRefresh:
			got, why = s.byRefresh(asking, q)
		}
	}
	if why != nil {
		s.refuse(w, why)
		return
	}
	w.Header().Set("Pragma", "no-cache")
	say(w, http.StatusOK, got)
}

// byCode redeems a code. Whoever shows one ends it, even if he may not have it.
func (s *server) byCode(asking *client, q url.Values) (*tokens, *refusal) {
	name := q.Get("code")
	if name == "" {
		return nil, &refusal{http.StatusBadRequest, "invalid_request", "Required param: code."}
	}
	got, ok := s.codes.take(name)
	if !ok || got.client != asking {
		return nil, &refusal{http.StatusBadRequest, "invalid_grant", "Invalid or expired code parameter."}
	}
	if why := got.proof.given(q.Get("code_verifier")); why != nil {
		return nil, why
	}
	if got.returnTo != q.Get("redirect_uri") {
		return nil, &refusal{http.StatusBadRequest, "invalid_request", "redirect_uri did not match URI from initial request."}
	}
	return s.granted(got.permit, name)
}

// byPassword is for clients that ask for the password themselves.
func (s *server) byPassword(r *http.Request, asking *client, q url.Values) (*tokens, *refusal) {
	wanted := permit{client: asking, scopes: strings.Fields(q.Get("scope")), nonce: q.Get("nonce")}
	if len(q.Get("scope")) > maxScopes || len(wanted.nonce) > maxNonce {
		return nil, &refusal{http.StatusBadRequest, "invalid_request", "scope or nonce is too long."}
	}
	if why := s.faulty(asking, wanted.scopes); why != "" {
		return nil, &refusal{http.StatusBadRequest, "invalid_request", why}
	}
	who, err := s.identify(r.Context(), q.Get("username"), q.Get("password"))
	if err != nil {
		return nil, &refusal{http.StatusServiceUnavailable, "temporarily_unavailable", err.Error()}
	}
	if who == nil {
		return nil, &refusal{http.StatusUnauthorized, "access_denied", "Invalid username or password"}
	}
	s.successful(who)
	wanted.who = who
	return s.granted(wanted, "")
}

func (s *server) granted(from permit, code string) (*tokens, *refusal) {
	made, err := s.grant(from, code)
	if err != nil {
		s.log.Error("failed to issue tokens", "err", err)
		return nil, &refusal{status: http.StatusInternalServerError, kind: "server_error"}
	}
	return made, nil
}

// grant issues tokens, with one to refresh them if that was asked for.
func (s *server) grant(from permit, code string) (*tokens, error) {
	made, err := s.issue(from, code)
	if err == nil && slices.Contains(from.scopes, scopeOffline) && slices.Contains(s.config.grants(), byRefresh) {
		made.Refresh = s.newRefresh(from)
	}
	return made, err
}

// userinfo is what a token of ours says of its holder.
func (s *server) userinfo(w http.ResponseWriter, r *http.Request) {
	kind, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(kind, "bearer") {
		w.Header().Set("WWW-Authenticate", "Bearer")
		s.refuse(w, &refusal{http.StatusUnauthorized, "access_denied", "Invalid bearer token."})
		return
	}
	said, err := s.key.verify(text)
	if err == nil {
		err = s.valid(said)
	}
	if err != nil {
		s.log.Error("failed to verify ID token", "err", err)
		s.refuse(w, &refusal{http.StatusForbidden, "access_denied", "Invalid bearer token."})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(said) // to who has asked: he may have gone
}
