package agnhost

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	jose "gopkg.in/go-jose/go-jose.v2"
	"gopkg.in/go-jose/go-jose.v2/jwt"

	"github.com/tabernetes/tabernetes/core/program"
)

// outside is a pod's network that is this process's.
type outside struct{ program.Network }

func (outside) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, address)
}

// TestIssuer verifies tokens against an issuer: one that is good, and those that must not be taken for good.
func TestIssuer(t *testing.T) {
	key := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	theirs, another := key(), key()
	mux := http.NewServeMux()
	server := httptest.NewTLSServer(mux)
	defer server.Close()
	shown := make(chan string, 100)
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		shown <- r.Header.Get("Authorization")
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": server.URL, "jwks_uri": server.URL + "/keys"})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &theirs.PublicKey, KeyID: "k", Algorithm: "ES256", Use: "sig"}}})
	})
	token := func(by *ecdsa.PrivateKey, issuer, audience string, expires time.Duration) string {
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: by, KeyID: "k"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := jwt.Signed(signer).Claims(jwt.Claims{
			Issuer: issuer, Audience: jwt.Audience{audience}, Expiry: jwt.NewNumericDate(time.Now().Add(expires)), Subject: "system:serviceaccount:a:b",
		}).CompactSerialize()
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, c := range map[string]struct {
		token string
		code  int
		says  string
	}{
		"good":               {token(theirs, server.URL, "me", time.Hour), 0, "OK: Validated signature on JWT"},
		"somebody else's":    {token(another, server.URL, "me", time.Hour), 1, "failed to verify"},
		"for somebody else":  {token(theirs, server.URL, "you", time.Hour), 1, "audience"},
		"old":                {token(theirs, server.URL, "me", -time.Hour), 1, "expired"},
		"of another issuer":  {token(theirs, "https://127.0.0.1:1", "me", time.Hour), 1, "falling back to validating with external discovery"},
		"no token":           {"hello", 1, "the token is no JWT"},
		"no token, in parts": {"a.b.c", 1, "the token is no JWT"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for file, text := range map[string][]byte{"token": []byte(c.token), serviceAccount + "token": []byte("the-pods-own\n"), serviceAccount + "ca.crt": ca} {
				path := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var said bytes.Buffer
			p := &program.Process{
				Args: []string{"test-service-account-issuer-discovery", "--token-path=/token", "--audience=me"},
				FS:   program.NewFS(root), Net: outside{}, Stdout: &said, Stderr: &said,
			}
			if code := issuer(t.Context(), p); code != c.code || !strings.Contains(said.String(), c.says) {
				t.Errorf("code %d:\n%s", code, &said)
			}
		})
	}
	close(shown)
	for header := range shown { // nobody without the cluster's CA came this far
		if header != "Bearer the-pods-own" {
			t.Errorf("the issuer was shown %q", header)
		}
	}
}
