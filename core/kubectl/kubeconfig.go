package kubectl

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/tabernetes/tabernetes/core/kubeconfig"
)

// Names in the kubeconfig, as kubeadm gives them.
const (
	clusterName = "kubernetes"
	userName    = "kubernetes-admin"
)

// homeConfig gives what ~/.kube/config says of c.
func homeConfig(c *rest.Config) ([]byte, error) {
	data, err := clientcmd.Write(kubeconfig.Of(
		clusterName, clientcmdapi.Cluster{
			Server:                   c.Host,
			CertificateAuthority:     c.CAFile,
			CertificateAuthorityData: c.CAData,
			InsecureSkipTLSVerify:    c.Insecure,
			TLSServerName:            c.ServerName,
		},
		userName, clientcmdapi.AuthInfo{
			ClientCertificateData: c.CertData,
			ClientCertificate:     c.CertFile,
			ClientKeyData:         c.KeyData,
			ClientKey:             c.KeyFile,
			Token:                 c.BearerToken,
		}))
	if err != nil {
		return nil, fmt.Errorf("write kubeconfig: %w", err)
	}
	return data, nil
}

// ensureKubeconfig writes ~/.kube/config if it is missing, and again if it is as it was
// written while the way to the apiserver has changed. What the user has changed stays.
func (t *Terminal) ensureKubeconfig() error {
	config := t.opts.RESTConfig()
	if config == nil {
		return errNotUp
	}
	data, err := homeConfig(config)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	name := t.kubeconfigPath()
	present, err := t.opts.FS.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := t.opts.FS.MkdirAll(path.Dir(name), 0o755); err != nil {
			return fmt.Errorf("write kubeconfig: %w", err)
		}
	case err != nil:
		return fmt.Errorf("read kubeconfig: %w", err)
	case bytes.Equal(present, data) || !bytes.Equal(present, t.written):
		return nil
	}
	if err := t.opts.FS.WriteFile(name, data, 0o600); err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	t.written = data
	return nil
}

var errNotUp = errors.New("the apiserver is not up yet")

func (t *Terminal) kubeconfigPath() string { return path.Join(t.opts.Home, ".kube", "config") }
