package dex

import (
	"net/http"

	"gopkg.in/go-jose/go-jose.v2"
)

// discovery is the document by which clients find everything else (OpenID Connect Discovery).
func (s *server) discovery(w http.ResponseWriter, _ *http.Request) {
	say(w, http.StatusOK, struct {
		Issuer        string   `json:"issuer"`
		Auth          string   `json:"authorization_endpoint"`
		Token         string   `json:"token_endpoint"`
		Keys          string   `json:"jwks_uri"`
		UserInfo      string   `json:"userinfo_endpoint"`
		Device        string   `json:"device_authorization_endpoint"`
		GrantTypes    []string `json:"grant_types_supported"`
		ResponseTypes []string `json:"response_types_supported"`
		Subjects      []string `json:"subject_types_supported"`
		Algorithms    []string `json:"id_token_signing_alg_values_supported"`
		Challenges    []string `json:"code_challenge_methods_supported"`
		Scopes        []string `json:"scopes_supported"`
		AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
		Claims        []string `json:"claims_supported"`
	}{
		s.config.Issuer, s.address("/auth"), s.address("/token"), s.address("/keys"), s.address("/userinfo"), s.address("/device/code"),
		s.config.grants(), []string{"code"}, []string{"public"}, []string{s.key.public.Algorithm}, s.config.OAuth2.PKCE.Methods, scopes,
		[]string{"client_secret_basic", "client_secret_post"},
		[]string{"iss", "sub", "aud", "iat", "exp", "email", "email_verified", "name", "preferred_username", "at_hash", "groups", "federated_claims"},
	})
}

// keys is what whoever verifies a token needs.
func (s *server) keys(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "max-age=600, must-revalidate")
	say(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{s.key.public}})
}
