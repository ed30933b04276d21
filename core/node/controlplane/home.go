package controlplane

import (
	"fmt"
	"os"
	"path/filepath"

	certutil "k8s.io/client-go/util/cert"

	"github.com/tabernetes/tabernetes/core/kubeconfig"
	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/core/program"
)

// home has the files that a component is given by name: upstream reads them from the process's file system,
// where the pod's are not.
type home struct {
	p      *program.Process
	dir    string
	client *client
	// kubeconfig, cert and key are paths.
	kubeconfig, cert, key string
}

// newHome makes them for the component of that name. Its certificate is self-signed, as upstream's is where
// none is named.
func newHome(p *program.Process, name string) (h *home, err error) {
	c, err := newClient(p, name)
	if err != nil {
		return nil, err
	}
	h = &home{p: p, client: c}
	defer func() {
		if err != nil {
			h.Close()
		}
	}()
	if h.dir, err = os.MkdirTemp("", name+"-"); err != nil {
		return nil, err
	}
	h.kubeconfig, h.cert, h.key = filepath.Join(h.dir, "kubeconfig"), filepath.Join(h.dir, "tls.crt"), filepath.Join(h.dir, "tls.key")
	if err := (kubeconfig.Cluster{Name: "pod", Server: c.URL()}).Write(h.kubeconfig, name, pki.Pair{}); err != nil {
		return nil, err
	}
	cert, key, err := certutil.GenerateSelfSignedCertKey("localhost", p.Net.IPs(), nil)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	return h, h.serveWith(cert, key)
}

// copyCert takes the pod's own certificate and key, as they are now.
func (h *home) copyCert(certFile, keyFile string) error {
	cert, err := read(h.p, certFile)
	if err != nil {
		return err
	}
	key, err := read(h.p, keyFile)
	if err != nil {
		return err
	}
	return h.serveWith(cert, key)
}

func (h *home) serveWith(cert, key []byte) error {
	if err := os.WriteFile(h.cert, cert, 0o600); err != nil {
		return err
	}
	return os.WriteFile(h.key, key, 0o600)
}

// Close removes them, and ends the way to the API server.
func (h *home) Close() {
	h.client.Close()
	if h.dir != "" {
		_ = os.RemoveAll(h.dir)
	}
}
