package dex

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
)

const (
	methodS256  = "S256"
	methodPlain = "plain"
)

// proof is what a code is bound to: whoever redeems it has to know the verifier (PKCE, RFC 7636). The zero value asks for
// none.
type proof struct{ challenge, method string }

func proofOf(q url.Values) proof {
	p := proof{q.Get("code_challenge"), q.Get("code_challenge_method")}
	if p.method == "" {
		p.method = methodPlain
	}
	return p
}

// given refuses a verifier that is not the one.
func (p proof) given(verifier string) *refusal {
	switch {
	case p.challenge == "" && verifier == "":
		return nil
	case p.challenge == "":
		return &refusal{http.StatusBadRequest, "invalid_request", "No PKCE flow started. Cannot check code_verifier."}
	case verifier == "":
		return &refusal{http.StatusBadRequest, "invalid_grant", "Expecting parameter code_verifier in PKCE flow."}
	}
	if p.method == methodS256 {
		sum := sha256.Sum256([]byte(verifier))
		verifier = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	if subtle.ConstantTimeCompare([]byte(verifier), []byte(p.challenge)) != 1 {
		return &refusal{http.StatusBadRequest, "invalid_grant", "Invalid code_verifier."}
	}
	return nil
}
