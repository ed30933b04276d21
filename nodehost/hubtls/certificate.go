package hubtls

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Certificate is what a hub serves with; it follows its files.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu   sync.Mutex
	now  *tls.Certificate
	leaf *x509.Certificate
	of   [2]time.Time // the files' times when now was read
}

// Open reads a certificate, with its chain behind it, and its key, both PEM.
func Open(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log}
	of, err := c.times()
	if err != nil {
		return nil, fmt.Errorf("read the hub's certificate: %w", err)
	}
	if err := c.read(of); err != nil {
		return nil, err
	}
	return c, nil
}

// Pin is the certificate's, if it is its own issuer: for others clients have somebody to trust, and
// a pin would be wrong after the next renewal.
func (c *Certificate) Pin() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leaf.CheckSignature(c.leaf.SignatureAlgorithm, c.leaf.RawTBSCertificate, c.leaf.Signature) != nil {
		return ""
	}
	return Pin(c.leaf)
}

// Config serves with the certificate as its files have it now. HTTP/1.1 only: WebSockets need it.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current(), nil },
	}
}

// current reads the files again if they have changed; while they are no good, the last good ones count.
func (c *Certificate) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	of, err := c.times()
	if err == nil && of != c.of {
		err = c.read(of)
		if err == nil {
			c.log.Info("the hub's certificate was renewed", "until", c.leaf.NotAfter)
		}
	}
	if err != nil && of != c.of {
		c.of = of // said once
		c.log.Warn("the hub's certificate cannot be read again; the one before is served", "error", err)
	}
	return c.now
}

// read is called with mu held, or before anybody else knows c.
func (c *Certificate) read(of [2]time.Time) error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("read the hub's certificate (%s, %s): %w", c.certFile, c.keyFile, err)
	}
	c.now, c.leaf, c.of = &pair, pair.Leaf, of
	return nil
}

func (c *Certificate) times() (of [2]time.Time, err error) {
	for i, file := range []string{c.certFile, c.keyFile} {
		st, err := os.Stat(file)
		if err != nil {
			return of, err
		}
		of[i] = st.ModTime()
	}
	return of, nil
}
