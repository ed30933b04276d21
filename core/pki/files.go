package pki

import (
	"fmt"
	"os"
	"path/filepath"
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

// Write lays the key material out in dir, readable by its owner only.
func (c *Cluster) Write(dir string) (Files, error) {
	f := Files{
		CA: "ca.crt", CAKey: "ca.key",
		FrontProxyCA:      "front-proxy-ca.crt",
		ServiceAccountKey: "sa.key", ServiceAccountPublicKey: "sa.pub",
		APIServer: "apiserver.crt", APIServerKey: "apiserver.key",
		APIServerKubelet: "apiserver-kubelet-client.crt", APIServerKubeletKey: "apiserver-kubelet-client.key",
		FrontProxyClient: "front-proxy-client.crt", FrontProxyClientKey: "front-proxy-client.key",
	}
	caKey, err := c.CA.KeyPEM()
	if err != nil {
		return Files{}, fmt.Errorf("encode CA key: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Files{}, fmt.Errorf("make the key directory: %w", err)
	}
	for _, w := range []struct {
		path *string
		pem  []byte
	}{
		{&f.CA, c.CA.CertPEM()}, {&f.CAKey, caKey},
		{&f.FrontProxyCA, c.FrontProxyCA.CertPEM()},
		{&f.ServiceAccountKey, c.ServiceAccountKey}, {&f.ServiceAccountPublicKey, c.ServiceAccountPublicKey},
		{&f.APIServer, c.APIServer.Cert}, {&f.APIServerKey, c.APIServer.Key},
		{&f.APIServerKubelet, c.APIServerKubeletClient.Cert}, {&f.APIServerKubeletKey, c.APIServerKubeletClient.Key},
		{&f.FrontProxyClient, c.FrontProxyClient.Cert}, {&f.FrontProxyClientKey, c.FrontProxyClient.Key},
	} {
		*w.path = filepath.Join(dir, *w.path)
		if err := os.WriteFile(*w.path, w.pem, 0o600); err != nil {
			return Files{}, fmt.Errorf("write key material: %w", err)
		}
	}
	return f, nil
}
