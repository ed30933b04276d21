package configuration_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// credential is what a request proves who it is by.
type credential struct {
	header http.Header
	cert   *pki.Pair
}

func bearer(token string) credential {
	return credential{header: http.Header{"Authorization": {"Bearer " + token}}}
}

func password(user, password string) credential {
	r, _ := http.NewRequest(http.MethodGet, "/", nil)
	r.SetBasicAuth(user, password)
	return credential{header: r.Header}
}

// answer is what came of a request.
type answer struct {
	status  int
	body    []byte
	auditID string
}

// ask sends a request from outside the process's own endpoints, with TLS and nothing but the credential.
func ask(t *testing.T, c credential, method, path string, body any) answer {
	t.Helper()
	config := rest.AnonymousClientConfig(running.AdminConfig())
	tlsConfig, err := rest.TLSConfigFor(config)
	if err != nil {
		t.Fatal(err)
	}
	if c.cert != nil {
		pair, err := tls.X509KeyPair(c.cert.Cert, c.cert.Key)
		if err != nil {
			t.Fatal(err)
		}
		tlsConfig.Certificates = []tls.Certificate{pair}
	}
	transport := &http.Transport{TLSClientConfig: tlsConfig}
	defer transport.CloseIdleConnections()
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		payload = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, config.Host+path, payload)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range c.header {
		r.Header[name] = values
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, b, res.Header.Get("Audit-ID")}
}

// who is whom the server takes a credential for: "user group1,group2", or the answer's status.
func who(t *testing.T, c credential) (string, answer) {
	t.Helper()
	a := ask(t, c, http.MethodPost, "/apis/authentication.k8s.io/v1/selfsubjectreviews", map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview",
	})
	var r authenticationv1.SelfSubjectReview
	if a.status != http.StatusCreated {
		return http.StatusText(a.status), a
	}
	if err := json.Unmarshal(a.body, &r); err != nil {
		t.Fatal(err)
	}
	return r.Status.UserInfo.Username + " " + strings.Join(r.Status.UserInfo.Groups, ","), a
}

// audited is the audit event of an answer, at its last stage.
func audited(t *testing.T, a answer) (e auditv1.Event) {
	t.Helper()
	eventually.True(t, "an audit event of "+a.auditID, func() bool {
		lines, _, _, _ := running.Audit().Since(0)
		for _, l := range lines {
			if !bytes.Contains(l, []byte(a.auditID)) {
				continue
			}
			var found auditv1.Event
			if err := json.Unmarshal(l, &found); err != nil {
				t.Fatalf("%s: %v", l, err)
			}
			// Upstream has one who was not let in as answered, and no more.
			last := found.Stage == auditv1.StageResponseComplete || a.status == http.StatusUnauthorized && found.Stage == auditv1.StageResponseStarted
			if string(found.AuditID) == a.auditID && last {
				e = found
				return true
			}
		}
		return false
	})
	return e
}
