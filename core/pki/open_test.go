package pki

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpenTakesUpWhatIsThere has a client certificate that was signed before a restart hold
// after it, and the other way round.
func TestOpenTakesUpWhatIsThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	first, files, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	admin, err := first.Admin()
	if err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(files.ServiceAccountKey)
	if err != nil {
		t.Fatal(err)
	}
	again, files, err := Open(dir, Options{ServerNames: []string{"added.example"}})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.CA.CertPEM(), again.CA.CertPEM()) || !bytes.Equal(first.FrontProxyCA.CertPEM(), again.FrontProxyCA.CertPEM()) ||
		!bytes.Equal(token, again.ServiceAccountKey) {
		t.Error("the keys are other ones")
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(again.CA.CertPEM())
	pair, err := tls.X509KeyPair(admin.Cert, admin.Key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
		t.Errorf("an earlier client: %v", err)
	}
	server, err := tls.LoadX509KeyPair(files.APIServer, files.APIServerKey)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "added.example"}); err != nil {
		t.Errorf("a name that came later: %v", err)
	}
}

// TestOpenWithFilesMissing removes each file in turn.
func TestOpenWithFilesMissing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	if _, _, err := Open(dir, Options{}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 12 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		kept, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		root := strings.HasPrefix(e.Name(), "ca.") || strings.HasPrefix(e.Name(), "front-proxy-ca.") || strings.HasPrefix(e.Name(), "sa.")
		_, _, err = Open(dir, Options{})
		switch {
		case root && (!errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), e.Name())):
			t.Errorf("without %s: %v", e.Name(), err)
		case !root && err != nil:
			t.Errorf("without %s, which is made at each start: %v", e.Name(), err)
		}
		if root {
			if err := os.WriteFile(path, kept, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestOpenAfterAnInterruption finds what a first start left that was killed.
func TestOpenAfterAnInterruption(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	if err := os.MkdirAll(dir+".new", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir+".new", "ca.crt"), []byte("-----BEGIN CERT"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(dir, Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir + ".new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}
