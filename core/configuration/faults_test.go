package configuration_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/configuration"
)

// TestWhoIsAskedFails: an issuer that is not there, one whose authority has expired, and a webhook that never answers
// refuse, each with its reason in the trace, and the issuer beside them goes on. An image policy that fails open does.
func TestWhoIsAskedFails(t *testing.T) {
	good, missing, stale := newIssuer(t), newIssuer(t), newIssuerAs(t, staleCertificate(t))
	missing.Close()
	jwt := "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt:\n"
	for _, i := range []*issuer{good, missing, stale} {
		jwt += "- issuer:\n    url: " + i.URL + "\n    audiences: [tab]\n    certificateAuthority: |\n      " +
			strings.ReplaceAll(strings.TrimSpace(caPEM(i.Server)), "\n", "\n      ") +
			"\n  claimMappings: {username: {claim: name, prefix: \"oidc:\"}}\n"
	}
	configure(t, configuration.Files{
		configuration.Audit:                 []byte(auditAll),
		configuration.Authentication:        []byte(jwt),
		configuration.AuthenticationWebhook: kubeconfigTo(hangs(t), caPEM(good.Server)),
		configuration.APIServerFlags:        []byte("--enable-admission-plugins=ImagePolicyWebhook\n"),
		configuration.Admission: []byte(`apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: ImagePolicyWebhook
  configuration: {imagePolicy: {kubeConfigFile: $(CONFIG_DIR)/images, allowTTL: 1, denyTTL: 1, retryBackoff: 1, defaultAllow: true}}
`),
		"images": kubeconfigTo(missing.URL, caPEM(missing.Server)),
	})
	t.Run("refused", func(t *testing.T) {
		for name, c := range map[string]struct {
			credential credential
			says       string
		}{
			"an issuer that is not there":      {bearer(missing.token(t, map[string]any{"name": "eve"})), "OIDC: refused, the issuer's keys have not been read yet"},
			"an issuer's expired authority":    {bearer(stale.token(t, map[string]any{"name": "eve"})), "OIDC: refused, the issuer's keys have not been read yet"},
			"a webhook that does not answer":   {bearer("anything"), "token webhook: refused, who has to be asked does not answer in time"},
			"nobody's word of a good issuer's": {bearer(good.token(t, map[string]any{"name": "eve", "exp": 1})), "token webhook: refused, who has to be asked does not answer in time"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel() // upstream waits ten seconds for the webhook
				got, a := who(t, c.credential)
				if said := decided(t, a); got != "Unauthorized" || !slices.Contains(said, c.says) {
					t.Errorf("taken for %s: %q", got, said)
				}
			})
		}
	})
	if got, a := who(t, bearer(good.token(t, map[string]any{"name": "eve"}))); got != "oidc:eve system:authenticated" {
		t.Errorf("the issuer beside them: %s %s", got, a.body)
	}
	a := ask(t, credential{cert: pair(clusterCA(t).Client("root", "system:masters"))}, http.MethodPost, "/api/v1/namespaces/default/pods?dryRun=All", podNamed("judged"))
	if open := audited(t, a).Annotations["imagepolicywebhook.image-policy.k8s.io/failed-open"]; a.status != http.StatusCreated || open != "true" {
		t.Errorf("the image: %d %s, failed open: %q", a.status, a.body, open)
	}
	configure(t, nil)
}

// hangs is the address of who takes each connection and never says anything.
func hangs(t *testing.T) (url string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(t.Context(), func() { c.Close() })
		}
	}()
	return "https://" + l.Addr().String()
}

// staleCertificate is a server's, and its own authority's, that was good yesterday.
func staleCertificate(t *testing.T) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "stale"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(-24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
