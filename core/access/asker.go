package access

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// Asker is one request for access on the side that asks: what is secret of it stays here.
type Asker struct {
	question Question
	key      []byte
	nonce    []byte
	offer    Offer
}

// NewAsker makes the user's key.
func NewAsker(user string) (*Asker, error) {
	key, request, err := newKey(user)
	if err != nil {
		return nil, err
	}
	nonce := newNonce()
	return &Asker{question: Question{user, request, commit(nonce)}, key: key, nonce: nonce}, nil
}

// Request is the first message to the cluster; an Offer answers it.
func (a *Asker) Request() Request { return Request{Question: &a.question} }

// Take takes the cluster's offer, once, and returns what tells the cluster the asker's nonce, and the
// code that a person compares with the one that the owner sees. An Answer answers the request.
func (a *Asker) Take(o Offer) (next Request, code string, err error) {
	if a.offer.ID != "" {
		return next, "", errors.New("a second offer came; a request for access has one")
	}
	if _, err := certificate(o.CA); err != nil {
		return next, "", fmt.Errorf("read the cluster's CA: %w", err)
	}
	if _, err := o.Name(); err != nil {
		return next, "", err
	}
	if o.ID == "" || len(o.Nonce) != nonceSize {
		return next, "", errors.New("the cluster's offer is incomplete; is its page of an older version? Reload it")
	}
	a.offer = o
	return Request{Reveal: &Reveal{o.ID, a.nonce}}, codeOf(a.question, o, a.nonce), nil
}

// Name is what the cluster is called at its hub, by the server name that it offers.
func (o Offer) Name() (string, error) {
	name, ok := strings.CutSuffix(o.ServerName, "."+tunnel.Domain)
	if !ok || !tunnel.ValidName(name) {
		return "", fmt.Errorf("the cluster is said to be called %q, which is no cluster's name", o.ServerName)
	}
	return name, nil
}

// Finish checks the answer: a certificate for this key, by the CA that was offered. It returns the
// certificate and the key, PEM.
func (a *Asker) Finish(got Answer) (cert, key []byte, err error) {
	leaf, err := certificate(got.Certificate)
	if err != nil {
		return nil, nil, fmt.Errorf("read the certificate: %w", err)
	}
	ca, err := certificate(a.offer.CA)
	if err != nil {
		return nil, nil, fmt.Errorf("read the cluster's CA: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(ca)
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: pool, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
		return nil, nil, fmt.Errorf("the certificate is not the cluster's: %w", err)
	}
	if _, err := tls.X509KeyPair([]byte(got.Certificate), a.key); err != nil {
		return nil, nil, fmt.Errorf("the certificate is for another key: %w", err)
	}
	return []byte(got.Certificate), a.key, nil
}

// certificate reads exactly one.
func certificate(text string) (*x509.Certificate, error) {
	block, rest := pem.Decode([]byte(text))
	if block == nil || block.Type != "CERTIFICATE" || len(strings.TrimSpace(string(rest))) > 0 {
		return nil, errors.New("it is not one PEM block CERTIFICATE")
	}
	return x509.ParseCertificate(block.Bytes)
}
