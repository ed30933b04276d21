package hubtls

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/wholefile"
)

// The own certificate is good for a year and made anew a month before that, at a start. The key stays,
// and so does the pin.
const (
	ownValidity = 365 * 24 * time.Hour
	ownRenewal  = 30 * 24 * time.Hour
)

// Own is the certificate that the hub makes for itself and keeps in dir, for these names and addresses.
func Own(dir string, hosts []string, log *slog.Logger) (*Certificate, error) {
	certFile, keyFile := filepath.Join(dir, "hub.crt"), filepath.Join(dir, "hub.key")
	key, err := ownKey(keyFile)
	if err != nil {
		return nil, err
	}
	if !fits(certFile, key, hosts) {
		if err := makeOwn(certFile, key, hosts); err != nil {
			return nil, err
		}
	}
	return Open(certFile, keyFile, log)
}

// ownKey reads the key, or makes one. A file that others can read is refused.
func ownKey(file string) (*ecdsa.PrivateKey, error) {
	st, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return newKey(file)
	}
	if err != nil {
		return nil, fmt.Errorf("read the hub's key: %w", err)
	}
	if st.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("read the hub's key: others can read %s; remove it, then start the hub again: it makes another one, and machines that joined need its hash", file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the hub's key: %w", err)
	}
	if block, _ := pem.Decode(text); block != nil {
		if any, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			if key, ok := any.(*ecdsa.PrivateKey); ok {
				return key, nil
			}
		}
	}
	return nil, fmt.Errorf("read the hub's key: %s is not one that the hub has made; remove it, then start the hub again", file)
}

func newKey(file string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the hub's key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("make the hub's key: %w", err)
	}
	return key, keep(file, &pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// fits says whether the file has a certificate of the key, for all of the hosts, that lasts.
func fits(file string, key crypto.Signer, hosts []string) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return false
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return false
	}
	public, ok := cert.PublicKey.(*ecdsa.PublicKey)
	return ok && public.Equal(key.Public()) && time.Until(cert.NotAfter) > ownRenewal &&
		!slices.ContainsFunc(hosts, func(h string) bool { return cert.VerifyHostname(h) != nil })
}

func makeOwn(file string, key crypto.Signer, hosts []string) error {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return fmt.Errorf("make the hub's certificate: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "Tabernetes hub"},
		NotBefore: time.Now().Add(-5 * time.Minute), NotAfter: time.Now().Add(ownValidity),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return fmt.Errorf("make the hub's certificate: %w", err)
	}
	return keep(file, &pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// keep writes a file that only the user can read, whole or not at all.
func keep(file string, block *pem.Block) error {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+"-*") // 0600
	if err != nil {
		return fmt.Errorf("keep the hub's certificate: %w", err)
	}
	defer os.Remove(f.Name())
	err = pem.Encode(f, block)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("keep the hub's certificate: %w", err)
	}
	if err := wholefile.Rename(f.Name(), file); err != nil {
		return fmt.Errorf("keep the hub's certificate: %w", err)
	}
	return nil
}
