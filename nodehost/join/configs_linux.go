package join

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/tabernetes/tabernetes/core/kubeconfig"
	"github.com/tabernetes/tabernetes/core/wholefile"
	"github.com/tabernetes/tabernetes/nodehost/kubelet"
)

// writeConfigs has the kubelet's files lead to the forwarder, whose port may have changed. Once there is
// a certificate, nothing is left of the token; kubelet.conf, which upstream writes in place, is made
// whole again if somebody was killed over it.
func (n *node) writeConfigs(forwarder string) error {
	if err := n.Place.Save(n.state); err != nil {
		return err
	}
	pem := kubelet.ClientCert(n.Place.Kubelet())
	until, err := validUntil(pem)
	switch {
	case err == nil && time.Now().Before(until):
		if err := n.writeConfig(n.Place.Kubeconfig(), forwarder, clientcmdapi.AuthInfo{ClientCertificate: pem, ClientKey: pem}); err != nil {
			return err
		}
		return n.forgetToken()
	case exists(n.Place.Bootstrap()):
		config, err := clientcmd.LoadFromFile(n.Place.Bootstrap())
		if err != nil {
			return fmt.Errorf("read the token for the kubelet: %w", err)
		}
		auth := clientcmdapi.AuthInfo{}
		for _, a := range config.AuthInfos {
			auth.Token = a.Token
		}
		return n.writeConfig(n.Place.Bootstrap(), forwarder, auth)
	case err == nil:
		err = fmt.Errorf("it was good until %s", until.Format(time.RFC3339))
	}
	return fmt.Errorf("this node has no certificate that is good, and its token is used up: %w; take it off, and join with a new line: nodehost leave --force", err)
}

// validUntil says when the certificate in a file with its key expires.
func validUntil(pem string) (time.Time, error) {
	pair, err := tls.LoadX509KeyPair(pem, pem)
	if err != nil {
		return time.Time{}, err
	}
	cert, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		return time.Time{}, err
	}
	return cert.NotAfter, nil
}

// writeConfig writes a kubeconfig for the node, unless it is there already.
func (n *node) writeConfig(path, forwarder string, auth clientcmdapi.AuthInfo) error {
	cluster := clientcmdapi.Cluster{Server: "https://" + forwarder, CertificateAuthority: n.Place.CA()}
	text, err := clientcmd.Write(kubeconfig.Of("tabernetes", cluster, "node", auth))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := wholefile.Write(path, text, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// forgetToken removes the token: the node has a certificate, and asks for the next one with that.
func (n *node) forgetToken() error {
	if err := os.Remove(n.Place.Bootstrap()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the token: %w", err)
	}
	return nil
}
