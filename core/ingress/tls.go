package ingress

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// secretFor is how long a Secret counts as it was read: one that is renewed is served after that.
const secretFor = 10 * time.Second

// secretCertificate is what a Secret held; nil if it was none.
type secretCertificate struct {
	cert *tls.Certificate
	read time.Time
}

func (c *Controller) tlsConfig() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.certificate(hello.Context(), hello.ServerName)
		},
	}
}

// certificate is the one of a host that an Ingress names, else one of our own that proves nothing, as
// controllers have it.
func (c *Controller) certificate(ctx context.Context, host string) (*tls.Certificate, error) {
	if cert := c.named(ctx, host); cert != nil {
		return cert, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fake == nil && c.failed == nil {
		c.fake, c.failed = fakeCertificate()
	}
	return c.fake, c.failed
}

// named is the certificate that an Ingress names for a host; nil if none does, or its Secret holds none.
func (c *Controller) named(ctx context.Context, host string) *tls.Certificate {
	certs := c.routes.Load().certs
	for _, key := range keys(host) {
		if of, ok := certs[key]; ok {
			return c.fromSecret(ctx, of)
		}
	}
	return nil
}

func (c *Controller) fromSecret(ctx context.Context, of certificate) *tls.Certificate {
	c.mu.Lock()
	known, ok := c.certs[of]
	c.mu.Unlock()
	if ok && time.Since(known.read) < secretFor {
		return known.cert
	}
	now := secretCertificate{read: time.Now()}
	ctx, cancel := context.WithTimeout(ctx, headerTimeout)
	defer cancel()
	secret, err := c.opts.Client.CoreV1().Secrets(of.namespace).Get(ctx, of.secret, metav1.GetOptions{})
	if err == nil {
		if pair, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey]); err == nil {
			now.cert = &pair
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.certs[of] = now
	return now.cert
}

func fakeCertificate() (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a certificate for hosts without one: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Kubernetes Ingress Controller Fake Certificate"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0), DNSNames: []string{"ingress.local"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate for hosts without one: %w", err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
