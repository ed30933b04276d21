package access

import (
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/pki"
)

// testAuthority is a CA of some cluster.
func testAuthority() (key crypto.Signer, ca []byte, err error) {
	a, err := pki.NewAuthority("kubernetes")
	if err != nil {
		return nil, nil, err
	}
	return a.Key, a.CertPEM(), nil
}

// signed is a client certificate for a signing request, PEM.
func signed(t *testing.T, key crypto.Signer, ca []byte, request string) string {
	t.Helper()
	parent, err := certificate(string(ca))
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode([]byte(request))
	csr, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(7), Subject: csr.Subject,
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, parent, csr.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
