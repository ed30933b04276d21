package kubeconfig

import (
	"crypto/tls"
	"fmt"
)

// samePair checks that the certificate is the key's.
func samePair(cert string, key []byte) error {
	if _, err := tls.X509KeyPair([]byte(cert), key); err != nil {
		return fmt.Errorf("the certificate is for another key: %w", err)
	}
	return nil
}
