package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	jose "gopkg.in/go-jose/go-jose.v2"
	"gopkg.in/go-jose/go-jose.v2/jwt"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// TestAuthenticators: a laptop's kubectl is let in through the hub by each authenticator, and says who it is; the issuer and
// the webhook are programs of the hub's machine, which the cluster reaches by the hub.
func TestAuthenticators(t *testing.T) {
	k := newKept(t)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	issuer, token := oidcIssuer(t)
	hook := httptest.NewTLSServer(http.HandlerFunc(reviewTokens))
	t.Cleanup(hook.Close)
	write("outside.addresses", issuer.Listener.Addr().String()+"\n"+hook.Listener.Addr().String()+"\n")
	write("tokens.csv", "of-a-file,reader,7,\"readers\"\n")
	write("basic-auth.csv", "s3cret,alice,8,\"writers\"\n")
	write("authentication.yaml", fmt.Sprintf(`apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
anonymous: {enabled: true}
jwt:
- issuer: {url: %q, audiences: [tab], egressSelectorType: controlplane, certificateAuthority: %q}
  claimMappings:
    username: {expression: '"oidc:" + claims.name'}
`, issuer.URL, certificateOf(issuer)))
	write("authentication-webhook.yaml", fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: hook
contexts: [{name: hook, context: {cluster: hook, user: server}}]
users: [{name: server, user: {}}]
clusters: [{name: hook, cluster: {server: %q, certificate-authority-data: %s}}]
`, hook.URL, base64.StdEncoding.EncodeToString([]byte(certificateOf(hook)))))
	k.mustStart("--nodes=0", "--config-dir="+dir, "--outside="+issuer.Listener.Addr().String(), "--outside="+hook.Listener.Addr().String())

	owner := k.kubeconfig()
	nobody := filepath.Join(dir, "nobody") // the same cluster, and no credentials
	config, err := clientcmd.LoadFromFile(owner)
	if err != nil {
		t.Fatal(err)
	}
	config.AuthInfos = map[string]*clientcmdapi.AuthInfo{}
	for _, c := range config.Contexts {
		c.AuthInfo = ""
	}
	if err := clientcmd.WriteToFile(*config, nobody); err != nil {
		t.Fatal(err)
	}
	k.kubectl(owner, "kubectl create secret generic bootstrap-token-abcdef -n kube-system --type=bootstrap.kubernetes.io/token "+
		"--from-literal=token-id=abcdef --from-literal=token-secret=0123456789abcdef --from-literal=usage-bootstrap-authentication=true")
	account := strings.TrimSpace(k.kubectl(owner, "kubectl wait --for=create serviceaccount/default --timeout=60s >/dev/null && kubectl create token default"))

	const whoami = "kubectl auth whoami -o jsonpath='{.status.userInfo.username}' "
	for name, c := range map[string]struct{ kubeconfig, line, want string }{
		"a certificate":        {owner, whoami, "kubernetes-admin"},
		"a file of tokens":     {nobody, whoami + "--token=of-a-file", "reader"},
		"a file of passwords":  {nobody, whoami + "--username=alice --password=s3cret", "alice"},
		"a bootstrap token":    {nobody, whoami + "--token=abcdef.0123456789abcdef", "system:bootstrap:abcdef"},
		"a service account":    {nobody, whoami + "--token=" + account, "system:serviceaccount:default:default"},
		"OpenID Connect":       {nobody, whoami + "--token=" + token("tab"), "oidc:eve"},
		"for another audience": {nobody, whoami + "--token=" + token("other"), "Unauthorized"},
		"a webhook":            {nobody, whoami + "--token=hook-mallory", "mallory"},
		"impersonation":        {owner, whoami + "--as=jane", "jane"},
		"a wrong token":        {nobody, whoami + "--token=nonsense", "Unauthorized"},
		"a wrong password":     {nobody, whoami + "--username=alice --password=guess", "Unauthorized"},
	} {
		var got string
		for end := time.Now().Add(longEnough); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			// The issuer is asked for its keys in the background; a Secret is seen a moment after it is made.
			if got = k.kubectl(c.kubeconfig, c.line+" 2>&1 || true"); strings.Contains(got, c.want) {
				break
			}
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, without %q", name, got, c.want)
		}
	}
}

// certificateOf vouches for a test's server.
func certificateOf(s *httptest.Server) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
}

// reviewTokens is an authentication webhook: "hook-NAME" is NAME's.
func reviewTokens(w http.ResponseWriter, r *http.Request) {
	var review authenticationv1.TokenReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	name, ok := strings.CutPrefix(review.Spec.Token, "hook-")
	review.Status = authenticationv1.TokenReviewStatus{Authenticated: ok, User: authenticationv1.UserInfo{Username: name}}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
}

// oidcIssuer is an issuer of this machine; token makes one of eve's for an audience.
func oidcIssuer(t *testing.T) (server *httptest.Server, token func(audience string) string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server = httptest.NewTLSServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": server.URL, "jwks_uri": server.URL + "/keys", "id_token_signing_alg_values_supported": []string{"ES256"}})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "k", Algorithm: "ES256", Use: "sig"}}})
	})
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return server, func(audience string) string {
		raw, err := jwt.Signed(signer).Claims(jwt.Claims{
			Issuer: server.URL, Subject: "s", Audience: jwt.Audience{audience}, Expiry: jwt.NewNumericDate(time.Now().Add(time.Hour)),
		}).Claims(map[string]any{"name": "eve"}).CompactSerialize()
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
}
