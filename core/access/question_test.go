package access

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"strings"
	"testing"
)

func TestARequestIsGood(t *testing.T) {
	a, err := NewAsker("ada@example.org")
	if err != nil {
		t.Fatal(err)
	}
	q := *a.Request().Question
	if err := q.Check(); err != nil {
		t.Error(err)
	}
	if strings.Contains(q.CSR, "PRIVATE") || !strings.Contains(string(a.key), "PRIVATE") {
		t.Error("the key is on the wrong side")
	}
	for _, bad := range []string{"", "system:admin", "a b", "-a", strings.Repeat("a", 65), "a\n", "ä"} {
		if _, err := NewAsker(bad); err == nil {
			t.Errorf("the user %q is taken", bad)
		}
	}
}

// signingRequest is made from a template.
func signingRequest(t *testing.T, template x509.CertificateRequest) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &template, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

func TestRequestsThatWantMore(t *testing.T) {
	subject := func(cn string, groups ...string) pkix.Name {
		return pkix.Name{CommonName: cn, Organization: groups}
	}
	good := signingRequest(t, x509.CertificateRequest{Subject: subject("ada", Group)})
	if err := (Question{"ada", good, commitment}).Check(); err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode([]byte(good))
	block.Bytes[len(block.Bytes)-1] ^= 1
	locality := subject("ada", Group)
	locality.Locality = []string{"somewhere"}
	for name, q := range map[string]Question{
		"for another user":    {"bob", good, commitment},
		"for a system user":   {"system:admin", signingRequest(t, x509.CertificateRequest{Subject: subject("system:admin", Group)}), commitment},
		"for the masters":     {"ada", signingRequest(t, x509.CertificateRequest{Subject: subject("ada", "system:masters")}), commitment},
		"for masters as well": {"ada", signingRequest(t, x509.CertificateRequest{Subject: subject("ada", Group, "system:masters")}), commitment},
		"for no group":        {"ada", signingRequest(t, x509.CertificateRequest{Subject: subject("ada")}), commitment},
		"with a host name":    {"ada", signingRequest(t, x509.CertificateRequest{Subject: subject("ada", Group), DNSNames: []string{"kubernetes"}}), commitment},
		"with another field":  {"ada", signingRequest(t, x509.CertificateRequest{Subject: locality}), commitment},
		"with a wrong sign":   {"ada", string(pem.EncodeToMemory(block)), commitment},
		"two of them":         {"ada", good + good, commitment},
		"a certificate":       {"ada", strings.ReplaceAll(good, "CERTIFICATE REQUEST", "CERTIFICATE"), commitment},
		"nothing":             {"ada", "", commitment},
		"too long":            {"ada", good + strings.Repeat("\n", maxCSR), commitment},
		"without a promise":   {"ada", good, nil},
		"with half a promise": {"ada", good, commitment[1:]},
	} {
		if err := q.Check(); err == nil {
			t.Errorf("a request %s passes", name)
		}
	}
}

var commitment = commit(newNonce())

func FuzzQuestion(f *testing.F) {
	a, err := NewAsker("ada")
	if err != nil {
		f.Fatal(err)
	}
	q := a.Request().Question
	f.Add(q.User, q.CSR, q.Commitment)
	f.Fuzz(func(t *testing.T, user, csr string, commitment []byte) {
		q := Question{user, csr, commitment}
		if q.Check() == nil && strings.Contains(q.User, ":") {
			t.Errorf("%q passes", q.User)
		}
	})
}
