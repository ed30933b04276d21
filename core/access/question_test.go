package access

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"regexp"
	"strings"
	"testing"
)

func TestARequestIsGood(t *testing.T) {
	key, q, err := NewRequest("ada@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Check(); err != nil {
		t.Error(err)
	}
	if !regexp.MustCompile(`^[A-Z2-7]{5}-[A-Z2-7]{5}$`).MatchString(q.Code()) {
		t.Errorf("code %q", q.Code())
	}
	if strings.Contains(q.CSR, "PRIVATE") || !strings.Contains(string(key), "PRIVATE") {
		t.Error("the key is on the wrong side")
	}
	if _, other, _ := NewRequest("ada@example.org"); other.Code() == q.Code() {
		t.Error("another key has the same code")
	}
	for _, bad := range []string{"", "system:admin", "a b", "-a", strings.Repeat("a", 65), "a\n", "ä"} {
		if _, _, err := NewRequest(bad); err == nil {
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
	if err := (Question{"ada", good}).Check(); err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode([]byte(good))
	block.Bytes[len(block.Bytes)-1] ^= 1
	locality := subject("ada", Group)
	locality.Locality = []string{"somewhere"}
	for name, q := range map[string]Question{
		"for another user":    {"bob", good},
		"for a system user":   {"system:admin", signingRequest(t, x509.CertificateRequest{Subject: subject("system:admin", Group)})},
		"for the masters":     {"ada", signingRequest(t, x509.CertificateRequest{Subject: subject("ada", "system:masters")})},
		"for masters as well": {"ada", signingRequest(t, x509.CertificateRequest{Subject: subject("ada", Group, "system:masters")})},
		"for no group":        {"ada", signingRequest(t, x509.CertificateRequest{Subject: subject("ada")})},
		"with a host name":    {"ada", signingRequest(t, x509.CertificateRequest{Subject: subject("ada", Group), DNSNames: []string{"kubernetes"}})},
		"with another field":  {"ada", signingRequest(t, x509.CertificateRequest{Subject: locality})},
		"with a wrong sign":   {"ada", string(pem.EncodeToMemory(block))},
		"two of them":         {"ada", good + good},
		"a certificate":       {"ada", strings.ReplaceAll(good, "CERTIFICATE REQUEST", "CERTIFICATE")},
		"nothing":             {"ada", ""},
		"too long":            {"ada", good + strings.Repeat("\n", maxCSR)},
	} {
		if err := q.Check(); err == nil {
			t.Errorf("a request %s passes", name)
		}
		if q.Code() != "" {
			t.Errorf("a request %s has a code", name)
		}
	}
}

func FuzzQuestion(f *testing.F) {
	_, q, err := NewRequest("ada")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(q.User, q.CSR)
	f.Fuzz(func(t *testing.T, user, csr string) {
		q := Question{user, csr}
		if (q.Check() == nil) != (q.Code() != "") {
			t.Errorf("check: %v, code %q", q.Check(), q.Code())
		}
	})
}
