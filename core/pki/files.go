package pki

import (
	"fmt"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core/wholefile"
)

// Files are the paths at which upstream's options find the key material, with kubeadm's names.
type Files struct {
	CA, CAKey                                  string
	FrontProxyCA                               string
	ServiceAccountKey, ServiceAccountPublicKey string
	APIServer, APIServerKey                    string
	APIServerKubelet, APIServerKubeletKey      string
	FrontProxyClient, FrontProxyClientKey      string
}

// filesIn are those of a directory.
func filesIn(dir string) Files {
	at := func(name string) string { return filepath.Join(dir, name) }
	return Files{
		CA: at("ca.crt"), CAKey: at("ca.key"),
		FrontProxyCA:      at("front-proxy-ca.crt"),
		ServiceAccountKey: at("sa.key"), ServiceAccountPublicKey: at("sa.pub"),
		APIServer: at("apiserver.crt"), APIServerKey: at("apiserver.key"),
		APIServerKubelet: at("apiserver-kubelet-client.crt"), APIServerKubeletKey: at("apiserver-kubelet-client.key"),
		FrontProxyClient: at("front-proxy-client.crt"), FrontProxyClientKey: at("front-proxy-client.key"),
	}
}

// pemFile is what a file is to contain.
type pemFile struct {
	path string
	pem  []byte
}

// leaves are the files that are written at each start.
func (c *Cluster) leaves(dir string) []pemFile {
	f := filesIn(dir)
	return []pemFile{
		{f.APIServer, c.APIServer.Cert}, {f.APIServerKey, c.APIServer.Key},
		{f.APIServerKubelet, c.APIServerKubeletClient.Cert}, {f.APIServerKubeletKey, c.APIServerKubeletClient.Key},
		{f.FrontProxyClient, c.FrontProxyClient.Cert}, {f.FrontProxyClientKey, c.FrontProxyClient.Key},
	}
}

// roots are the files that are written once.
func (c *Cluster) roots(dir string) ([]pemFile, error) {
	caKey, err := c.CA.KeyPEM()
	if err != nil {
		return nil, fmt.Errorf("encode CA key: %w", err)
	}
	frontProxyKey, err := c.FrontProxyCA.KeyPEM()
	if err != nil {
		return nil, fmt.Errorf("encode front proxy CA key: %w", err)
	}
	f := filesIn(dir)
	return []pemFile{
		{f.CA, c.CA.CertPEM()}, {f.CAKey, caKey},
		{f.FrontProxyCA, c.FrontProxyCA.CertPEM()}, {filepath.Join(dir, "front-proxy-ca.key"), frontProxyKey},
		{f.ServiceAccountKey, c.ServiceAccountKey}, {f.ServiceAccountPublicKey, c.ServiceAccountPublicKey},
	}, nil
}

// write writes a file for its owner only, whole or not at all.
func (f pemFile) write() error {
	if err := wholefile.Write(f.path, f.pem, 0o600); err != nil {
		return fmt.Errorf("write key material: %w", err)
	}
	return nil
}
