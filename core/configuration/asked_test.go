package configuration_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/util/keyutil"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// askedIP is the Service of the pod that is asked (asked.yaml).
const askedIP = "10.96.0.78"

// TestAskedInPods: who answers who somebody is, by a token and as an OIDC issuer, what they may do, which images may run
// and where a pod may run, are pods of the cluster, named by the address of their Service; without them upstream says that
// nobody answers.
func TestAskedInPods(t *testing.T) {
	configure(t, nil)
	i := newIssuer(t) // for its key: a pod has the same
	i.Server = &httptest.Server{URL: "https://" + askedIP}
	cert, key := certificateFor(t, i.key)
	point, err := i.key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	// One text is both the issuer's document and its keys.
	document := fmt.Sprintf(`{"issuer": %q, "jwks_uri": %q, "id_token_signing_alg_values_supported": ["ES256"], "keys": [{"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": "k", "x": %q, "y": %q}]}`,
		i.URL, i.URL+"/keys", segment(point[1:33]), segment(point[33:]))
	encoded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	kubectl(t, fmt.Sprintf(`kubectl apply -f - <<'E'
{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "asked"}, "data": {"tls.crt": %q, "tls.key": %q}}
---
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "asked-issuer"}, "data": {"document": %q}}
E`, encoded(cert), encoded(key), document))
	kubectl(t, "kubectl apply -f "+manifest(t, "asked.yaml"))
	t.Cleanup(func() {
		said(context.WithoutCancel(t.Context()), "kubectl delete secret/asked configmap/asked-issuer")
	})
	defer logOf(t, "kubectl describe pod asked")
	kubectl(t, "kubectl wait pod asked --for=condition=Ready --timeout=120s")

	// The scheduler's extenders, too; of a Service's name it says what to write in its place.
	for host, want := range map[string]string{askedIP: "a pod has no room", "asked.default.svc": "is the name of a Service"} {
		configure(t, configuration.Files{configuration.Scheduler: fmt.Appendf(nil, `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders: [{urlPrefix: "http://%s:8084", filterVerb: filter, weight: 1, httpTimeout: 60s}]
`, host)})
		kubectl(t, "kubectl run judged --image=pause")
		eventually.True(t, "told what "+host+" says", func() bool {
			ctx := t.Context()
			return strings.Contains(said(ctx, "kubectl get events --field-selector reason=FailedScheduling -o jsonpath={.items[*].message}"), want)
		})
		kubectl(t, "kubectl delete pod judged --now")
	}

	kubeconfig := func(host string, port int) []byte {
		return fmt.Appendf(nil, `{apiVersion: v1, kind: Config, current-context: c, users: [], contexts: [{name: c, context: {cluster: c}}],
 clusters: [{name: c, cluster: {server: "http://%s:%d"}}]}`, host, port)
	}
	files := configuration.Files{
		configuration.Audit:                 []byte(auditAll),
		configuration.AuthenticationWebhook: kubeconfig(askedIP, 8081),
		"hook":                              kubeconfig(askedIP, 8082),
		"images":                            kubeconfig("asked.default.svc", 8083),
		configuration.APIServerFlags:        []byte("--enable-admission-plugins=ImagePolicyWebhook"),
		configuration.Admission: []byte(`apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: ImagePolicyWebhook
  configuration: {imagePolicy: {kubeConfigFile: $(CONFIG_DIR)/images, allowTTL: 1, denyTTL: 1, retryBackoff: 1, defaultAllow: false}}
`),
		configuration.Authorization: []byte(`apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- {type: Node, name: node}
- {type: RBAC, name: rbac}
- type: Webhook
  name: hook
  webhook:
    timeout: 3s
    authorizedTTL: 1s
    unauthorizedTTL: 1s
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: NoOpinion
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: $(CONFIG_DIR)/hook}
    matchConditions: [{expression: "request.user == 'ann' || request.user == 'oidc:eve'"}]
`),
		configuration.Authentication: []byte(`apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: ` + i.URL + `
    audiences: [tab]
    egressSelectorType: cluster
    certificateAuthority: |
      ` + strings.ReplaceAll(strings.TrimSpace(cert), "\n", "\n      ") + `
  claimMappings:
    username: {expression: '"oidc:" + claims.name'}
`),
	}
	const image = "kubectl run policed --image=pause --dry-run=server"
	configure(t, files)
	if got := said(t.Context(), image); !strings.Contains(got, "is the name of a Service") {
		t.Errorf("the image, of a Service's name: %s", got)
	}
	files["images"] = kubeconfig(askedIP, 8083)
	configure(t, files)
	eve := bearer(i.token(t, map[string]any{"name": "eve"}))
	eventually.True(t, "the issuer's keys are read", func() bool {
		got, _ := who(t, eve)
		return got == "oidc:eve system:authenticated"
	})
	if got, a := who(t, bearer("anything")); got != "ann podded,system:authenticated" {
		t.Errorf("the webhook's token is %s's: %s", got, a.body)
	}
	for name, c := range map[string]credential{"ann": bearer("anything"), "eve": eve} {
		a := ask(t, c, http.MethodGet, "/api/v1/namespaces/default/secrets", nil)
		reason := audited(t, a).Annotations["authorization.k8s.io/reason"]
		if a.status != http.StatusOK || !strings.Contains(reason, "a pod says so") {
			t.Errorf("%s: %d %s, because %q", name, a.status, a.body, reason)
		}
	}
	if got := said(t.Context(), image); !strings.Contains(got, "denied one or more images: a pod says no") {
		t.Errorf("the image: %s", got)
	}
	kubectl(t, "kubectl delete pod asked --now")
	last := ""
	defer func() {
		if t.Failed() {
			t.Log(last)
		}
	}()
	eventually.True(t, "nobody answers", func() bool {
		ctx := t.Context()
		got, _ := who(t, bearer("another"))
		a := ask(t, eve, http.MethodGet, "/api/v1/namespaces/default/secrets", nil) // its keys are known
		images := said(ctx, image)
		last = fmt.Sprintf("%s; %d %s; %s", got, a.status, a.body, images)
		return strings.Contains(images, "connection refused") && got == "Unauthorized" && a.status == http.StatusInternalServerError && strings.Contains(string(a.body), "connection refused")
	})
	configure(t, nil)
}

// certificateFor is one for the Service's address, by the key itself.
func certificateFor(t *testing.T, key *ecdsa.PrivateKey) (certPEM, keyPEM string) {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "issuer"}, IPAddresses: []net.IP{net.ParseIP(askedIP)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		t.Fatal(err)
	}
	certPEM = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	if _, err := tls.X509KeyPair([]byte(certPEM), text); err != nil {
		t.Fatal(err)
	}
	return certPEM, string(text)
}
