package oidclogin

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"gopkg.in/go-jose/go-jose.v2"
	"gopkg.in/go-jose/go-jose.v2/jwt"
)

// issuer gives tokens to whoever shows what it told before. Its answers can be made wrong.
type issuer struct {
	*httptest.Server
	key *ecdsa.PrivateKey

	mu        sync.Mutex
	pending   int               // how often somebody is told to ask again
	document  map[string]any    // what differs of the discovery document
	claims    map[string]any    // and of the ID token
	instead   map[string]string // answers by path
	challenge string            // PKCE's
	asked     []string          // grants
	shown     []string          // how the client said who it is
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key, instead: map[string]string{}}
	i.Server = httptest.NewTLSServer(i)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) authority() string {
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.Certificate().Raw}))
}

// ServeHTTP implements http.Handler.
func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if text, ok := i.instead[r.URL.Path]; ok {
		if text == "elsewhere" {
			http.Redirect(w, r, "https://127.0.0.1:1/", http.StatusTemporaryRedirect)
			return
		}
		if strings.HasPrefix(text, "{") {
			w.Header().Set("Content-Type", "application/json")
		}
		_, _ = w.Write([]byte(text)) // to who may have gone
		return
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		say(w, http.StatusOK, with(map[string]any{
			"issuer": i.URL, "authorization_endpoint": i.URL + "/auth", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
			"device_authorization_endpoint": i.URL + "/device/code", "id_token_signing_alg_values_supported": []string{"ES256"},
		}, i.document))
	case "/keys":
		say(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: i.key.Public(), KeyID: "k", Algorithm: "ES256", Use: "sig"}}})
	case "/device/code":
		say(w, http.StatusOK, map[string]any{
			"device_code": "device-canary", "user_code": "ABCD-\x1b[31mEFGH", "interval": 1, "expires_in": 60,
			"verification_uri": i.URL + "/device", "verification_uri_complete": i.URL + "/device?user_code=ABCD",
		})
	case "/token":
		i.token(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	grant := r.FormValue("grant_type")
	i.asked = append(i.asked, grant)
	_, secret, header := r.BasicAuth()
	i.shown = append(i.shown, map[bool]string{true: "header " + secret, false: "form " + r.FormValue("client_secret")}[header])
	refuse := func(why string) { say(w, http.StatusBadRequest, map[string]any{"error": why}) }
	claims := map[string]any{}
	switch {
	case grant == "password" && r.FormValue("password") == "password-canary":
	case grant == "refresh_token" && r.FormValue("refresh_token") == "refresh-canary":
	case grant == "authorization_code" && r.FormValue("code") == "code-canary":
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		at, err := url.Parse(i.challenge)
		if err != nil || at.Query().Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
			refuse("invalid_grant")
			return
		}
		claims["nonce"] = at.Query().Get("nonce")
	case grant == "urn:ietf:params:oauth:grant-type:device_code" && r.FormValue("device_code") == "device-canary":
		if i.pending--; i.pending >= 0 {
			refuse("authorization_pending")
			return
		}
	default:
		refuse("invalid_grant")
		return
	}
	say(w, http.StatusOK, map[string]any{"access_token": "access-canary", "token_type": "bearer", "refresh_token": "refresh-canary", "id_token": i.signed(with(claims, i.claims))})
}

// signed is an ID token with these claims beside those that every one has.
func (i *issuer) signed(claims map[string]any) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: i.key, KeyID: "k"}}, nil)
	if err != nil {
		panic(err) // the key is of its kind
	}
	all := map[string]any{"iss": i.URL, "aud": "kubernetes", "sub": "jane", "exp": time.Now().Add(time.Hour).Unix()}
	text, err := jwt.Signed(signer).Claims(with(all, claims)).CompactSerialize()
	if err != nil {
		panic(err)
	}
	return text
}

func with(all, more map[string]any) map[string]any {
	for name, value := range more {
		all[name] = value
	}
	return all
}

func say(w http.ResponseWriter, code int, what any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(what) // to who may have gone
}
