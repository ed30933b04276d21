package pki

import (
	"crypto"
	"crypto/x509"
	"fmt"
	"time"

	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
	kubeadmapi "k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm"
	"k8s.io/kubernetes/cmd/kubeadm/app/util/pkiutil"
)

// algorithm of every key of the cluster.
const algorithm = kubeadmapi.EncryptionAlgorithmECDSAP256

// Validity of what is signed here, as kubeadm has it: ten years for an authority, one for a leaf.
const (
	caValidity   = 10 * 365 * 24 * time.Hour
	leafValidity = 365 * 24 * time.Hour
)

// Authority is a certificate authority that can sign.
type Authority struct {
	Cert *x509.Certificate
	Key  crypto.Signer
}

// NewAuthority makes a self-signed authority.
func NewAuthority(commonName string) (*Authority, error) {
	cert, key, err := pkiutil.NewCertificateAuthority(&pkiutil.CertConfig{
		Config:              certutil.Config{CommonName: commonName},
		NotAfter:            time.Now().Add(caValidity),
		EncryptionAlgorithm: algorithm,
	})
	if err != nil {
		return nil, fmt.Errorf("make certificate authority %q: %w", commonName, err)
	}
	return &Authority{Cert: cert, Key: key}, nil
}

// CertPEM is the authority's certificate.
func (a *Authority) CertPEM() []byte { return pkiutil.EncodeCertPEM(a.Cert) }

// KeyPEM is the authority's private key; whoever has it can be anyone in the cluster.
func (a *Authority) KeyPEM() ([]byte, error) { return keyutil.MarshalPrivateKeyToPEM(a.Key) }

// Pair is a certificate and its private key, both PEM.
type Pair struct {
	Cert, Key []byte
}

// Client signs a client certificate for a user and its groups.
func (a *Authority) Client(user string, groups ...string) (Pair, error) {
	return a.sign(certutil.Config{
		CommonName:   user,
		Organization: groups,
		Usages:       []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// Server signs a serving certificate for names and addresses.
func (a *Authority) Server(commonName string, groups []string, names certutil.AltNames) (Pair, error) {
	return a.sign(certutil.Config{
		CommonName:   commonName,
		Organization: groups,
		AltNames:     names,
		Usages:       []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

func (a *Authority) sign(c certutil.Config) (Pair, error) {
	cert, key, err := pkiutil.NewCertAndKey(a.Cert, a.Key, &pkiutil.CertConfig{
		Config:              c,
		NotAfter:            time.Now().Add(leafValidity),
		EncryptionAlgorithm: algorithm,
	})
	if err != nil {
		return Pair{}, fmt.Errorf("sign certificate for %q: %w", c.CommonName, err)
	}
	keyPEM, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return Pair{}, fmt.Errorf("encode key of %q: %w", c.CommonName, err)
	}
	return Pair{Cert: pkiutil.EncodeCertPEM(cert), Key: keyPEM}, nil
}
