package dex

import (
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// refresh is a permit that goes on. A client has one for each person: a new one replaces it.
type refresh struct {
	permit
	// secret is what the token shows, former what it showed before it was last used.
	secret, former string
	made, used     time.Time
}

// newRefresh gives a token by which the permit goes on.
func (s *server) newRefresh(from permit) string {
	now := time.Now()
	one := refresh{permit: from, secret: secretName(), made: now, used: now}
	owner := message(from.who.UserID, from.client.ID)
	if old, ok := s.refreshOf.take(owner); ok {
		s.refreshes.take(old)
	}
	name := secretName()
	s.refreshOf.add(owner, name)
	s.refreshes.add(name, one)
	return message(name, one.secret)
}

// byRefresh gives new tokens, and with them another token to refresh them: the one that was shown is over.
func (s *server) byRefresh(asking *client, q url.Values) (*tokens, *refusal) {
	shown := q.Get("refresh_token")
	if shown == "" {
		return nil, &refusal{http.StatusBadRequest, "invalid_request", "No refresh token is found in request."}
	}
	const invalid = "Refresh token is invalid or has already been claimed by another client."
	why := &refusal{http.StatusBadRequest, "invalid_request", invalid}
	name, secret, ok := texts(shown)
	if !ok {
		return nil, why
	}
	var from permit
	var next string
	var narrowed []string
	late := false
	s.refreshes.change(name, func(one *refresh) {
		if one.client != asking {
			why = &refusal{http.StatusBadRequest, "invalid_grant", invalid}
			return
		}
		now := time.Now()
		again := s.config.refreshReuse > 0 && now.Before(one.used.Add(s.config.refreshReuse))
		switch {
		case !same(one.secret, secret) && !(again && one.former != "" && same(one.former, secret)):
			s.log.Error("refresh token claimed twice", "client_id", asking.ID)
			return
		case s.config.refreshLife > 0 && now.After(one.made.Add(s.config.refreshLife)),
			s.config.refreshIdle > 0 && now.After(one.used.Add(s.config.refreshIdle)):
			late = true
			return
		}
		if wanted := strings.Fields(q.Get("scope")); len(wanted) > 0 {
			more := slices.DeleteFunc(slices.Clone(wanted), func(scope string) bool { return slices.Contains(one.scopes, scope) })
			if len(more) > 0 {
				why = &refusal{http.StatusBadRequest, "invalid_request", fmt.Sprintf("Requested scopes contain unauthorized scope(s): %s.", quoted(more))}
				return
			}
			narrowed = wanted
		}
		if !again {
			one.used = now
			if !s.config.Expiry.RefreshTokens.DisableRotation {
				one.former, one.secret = one.secret, secretName()
			}
		}
		if from = one.permit; narrowed != nil {
			from.scopes = narrowed
		}
		next = message(name, one.secret)
	})
	if late {
		s.refreshes.take(name)
		return nil, &refusal{http.StatusBadRequest, "invalid_request", "Refresh token expired."}
	}
	if next == "" {
		return nil, why
	}
	made, err := s.issue(from, "")
	if err != nil {
		s.log.Error("failed to issue tokens", "err", err)
		return nil, &refusal{status: http.StatusInternalServerError, kind: "server_error"}
	}
	made.Refresh = next
	return made, nil
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
