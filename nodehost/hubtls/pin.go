package hubtls

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

const pinPrefix = "sha256:"

// Pin is "sha256:" and the hash of a certificate's public key, in hexadecimal: the form of kubeadm's
// discovery-token-ca-cert-hash.
func Pin(c *x509.Certificate) string {
	sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return pinPrefix + hex.EncodeToString(sum[:])
}

// CheckPin says what is wrong with a pin; the empty one is good and means none.
func CheckPin(pin string) error {
	text, ok := strings.CutPrefix(pin, pinPrefix)
	if b, err := hex.DecodeString(text); pin != "" && (!ok || err != nil || len(b) != sha256.Size) {
		return fmt.Errorf("%q is no hash of a certificate: it looks like sha256:… with 64 digits; copy the line again", pin)
	}
	return nil
}

// ErrPin says that whoever answers is not the hub that the pin names.
var ErrPin = errors.New("the hub's certificate is not the one that --hub-cert-hash names: it was made anew, or somebody is in between; take the line from the page again")

// Client is how to dial a hub: by its pin, whatever its names; without one, by what the system trusts.
func Client(pin string) (*tls.Config, error) {
	if err := CheckPin(pin); err != nil {
		return nil, err
	}
	if pin == "" {
		return &tls.Config{MinVersion: tls.VersionTLS12}, nil
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, //nolint:gosec // the key is checked, which says more than a name
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || subtle.ConstantTimeCompare([]byte(Pin(s.PeerCertificates[0])), []byte(strings.ToLower(pin))) != 1 {
				return ErrPin
			}
			return nil
		},
	}, nil
}

// HTTP is a client of a hub at a URL. A pin for an address without TLS is refused: nothing would be
// checked.
func HTTP(url, pin string) (*http.Client, error) {
	if pin != "" && !strings.HasPrefix(url, "https:") {
		return nil, fmt.Errorf("--hub-cert-hash names a certificate, and %s has none: an https URL is needed", url)
	}
	config, err := Client(pin)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = config
	transport.ForceAttemptHTTP2 = false
	return &http.Client{Transport: transport}, nil
}
