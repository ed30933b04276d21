package access

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
	"regexp"
	"slices"

	"k8s.io/client-go/util/keyutil"
)

// Group is the one that certificates are for, as kubeadm names it. What a user may do follows from the
// binding of its name (Binding).
const Group = "kubeadm:cluster-admins"

// Question asks for access. It is what travels first; nothing in it is secret.
type Question struct {
	// User is the name that the cluster will know the asker by.
	User string `json:"user"`
	// CSR is the certificate signing request, PEM.
	CSR string `json:"csr"`
	// Commitment is the hash of the asker's nonce, which is told after the cluster's is known.
	Commitment []byte `json:"commitment"`
}

// users are what a name may look like: no colon, so that nobody is "system:" anything.
var users = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9@._-]{0,62}[A-Za-z0-9])?$`)

// newKey makes a key (PEM, to be kept) and the signing request for it, PEM.
func newKey(user string) (key []byte, request string, err error) {
	if !users.MatchString(user) {
		return nil, "", fmt.Errorf("%q is no name for a user: letters, digits, and @ . _ - between them", user)
	}
	signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, "", fmt.Errorf("make a key: %w", err)
	}
	if key, err = keyutil.MarshalPrivateKeyToPEM(signer); err != nil {
		return nil, "", fmt.Errorf("encode the key: %w", err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: pkix.Name{CommonName: user, Organization: []string{Group}},
	}, crypto.Signer(signer))
	if err != nil {
		return nil, "", fmt.Errorf("make a certificate signing request: %w", err)
	}
	return key, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})), nil
}

// maxCSR is the size of a signing request in bytes.
const maxCSR = 8 << 10

// Check says what is wrong with a question that came from outside, before anybody is asked:
// the signing request has to be for that user, for Group, and for nothing else.
func (q Question) Check() error {
	if !users.MatchString(q.User) {
		return errors.New("the user's name has letters, digits, and @ . _ - between them")
	}
	if len(q.Commitment) != commitmentSize {
		return fmt.Errorf("the commitment has %d bytes; it is a hash of %d", len(q.Commitment), commitmentSize)
	}
	if len(q.CSR) > maxCSR {
		return fmt.Errorf("the signing request has %d bytes; %d are allowed", len(q.CSR), maxCSR)
	}
	block, rest := pem.Decode([]byte(q.CSR))
	if block == nil || block.Type != "CERTIFICATE REQUEST" || len(rest) > 0 {
		return errors.New("the signing request is not one PEM block CERTIFICATE REQUEST")
	}
	csr, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return fmt.Errorf("read the signing request: %w", err)
	}
	if err := csr.CheckSignature(); err != nil {
		return fmt.Errorf("read the signing request: %w", err)
	}
	switch {
	case csr.Subject.CommonName != q.User:
		return errors.New("the signing request is for another user")
	case !slices.Equal(csr.Subject.Organization, []string{Group}):
		return fmt.Errorf("the signing request is for the groups %q, not for %s", csr.Subject.Organization, Group)
	case len(csr.Subject.Names) != 2,
		len(csr.Extensions)+len(csr.ExtraExtensions) > 0,
		len(csr.DNSNames)+len(csr.EmailAddresses)+len(csr.IPAddresses)+len(csr.URIs) > 0:
		return errors.New("the signing request asks for more than a user's certificate")
	}
	return nil
}
