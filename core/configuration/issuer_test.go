package configuration_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// issuer is an OpenID provider, as far as an API server asks one.
type issuer struct {
	*httptest.Server
	key *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer { return newIssuerAs(t, nil) }

// newIssuerAs is one with a certificate of its own.
func newIssuerAs(t *testing.T, cert *tls.Certificate) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key}
	i.Server = tlsServer(cert, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/openid-configuration":
			fmt.Fprintf(w, `{"issuer": %q, "jwks_uri": %q, "id_token_signing_alg_values_supported": ["ES256"]}`, i.URL, i.URL+"/keys")
		case "/keys":
			point, err := key.PublicKey.Bytes()
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			fmt.Fprintf(w, `{"keys": [{"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": "k", "x": %q, "y": %q}]}`,
				segment(point[1:33]), segment(point[33:]))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(i.Close)
	return i
}

// tlsServer is a test's server, with a certificate of its own if there is one.
func tlsServer(cert *tls.Certificate, h http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	if cert != nil {
		s.TLS = &tls.Config{Certificates: []tls.Certificate{*cert}}
	}
	s.StartTLS()
	return s
}

func segment(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// token is a JWT with these claims beside those that every one has.
func (i *issuer) token(t *testing.T, claims map[string]any) string {
	t.Helper()
	all := map[string]any{"iss": i.URL, "aud": "tab", "exp": time.Now().Add(time.Hour).Unix(), "sub": "s"}
	for name, value := range claims {
		all[name] = value
	}
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	signed := segment([]byte(`{"alg":"ES256","kid":"k","typ":"JWT"}`)) + "." + segment(b)
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, i.key, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	signature := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	return signed + "." + segment(signature)
}

// caPEM is what vouches for a test's server.
func caPEM(s *httptest.Server) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
}

// hooksToken is what the API server proves to a test's webhook who it is by.
const hooksToken = "of-the-server-4-hooks"

// kubeconfigOf leads to a test's webhook.
func kubeconfigOf(s *httptest.Server) []byte { return kubeconfigTo(s.URL, caPEM(s)) }

func kubeconfigTo(url, ca string) []byte {
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: hook
contexts: [{name: hook, context: {cluster: hook, user: server}}]
users: [{name: server, user: {token: %s}}]
clusters: [{name: hook, cluster: {server: %q, certificate-authority-data: %s}}]
`, hooksToken, url, base64.StdEncoding.EncodeToString([]byte(ca)))
}

// authenticationConfiguration trusts the issuer, with names by CEL, and lets anonymous requests ask for health only.
func authenticationConfiguration(i *issuer) []byte {
	return []byte(`apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
anonymous: {enabled: true, conditions: [{path: /livez}]}
jwt:
- issuer:
    url: ` + i.URL + `
    audiences: [tab]
    certificateAuthority: |
      ` + strings.ReplaceAll(strings.TrimSpace(caPEM(i.Server)), "\n", "\n      ") + `
  claimValidationRules:
  - {expression: 'claims.?kind.orValue("") != "robot"', message: no robots}
  claimMappings:
    username: {expression: '"oidc:" + claims.name'}
    groups: {claim: teams, prefix: "oidc:"}
    extra: [{key: example.org/sub, valueExpression: claims.sub}]
  userValidationRules:
  - {expression: '!user.username.startsWith("oidc:system:")', message: no names of the system}
`)
}
