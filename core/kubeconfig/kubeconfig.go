package kubeconfig

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/tabernetes/tabernetes/core/pki"
)

// Cluster is where the apiserver is and by which CA it is known.
type Cluster struct {
	// Name of the cluster, in contexts.
	Name string
	// Server is the apiserver's URL.
	Server string
	// ServerName is the name to ask for in the TLS handshake, if not Server's host.
	ServerName string
	// CA is the cluster CA's certificate, PEM; none where Server is an in-process endpoint.
	CA []byte
}

// File is a kubeconfig with one context, for one user. The zero Pair is no credentials.
func (c Cluster) File(user string, client pki.Pair) clientcmdapi.Config {
	return Of(c.Name, clientcmdapi.Cluster{Server: c.Server, TLSServerName: c.ServerName, CertificateAuthorityData: c.CA},
		user, clientcmdapi.AuthInfo{ClientCertificateData: client.Cert, ClientKeyData: client.Key})
}

// Of is a kubeconfig of one cluster and one user. Its context has kubeadm's form of a name, user@cluster.
func Of(name string, cluster clientcmdapi.Cluster, user string, auth clientcmdapi.AuthInfo) clientcmdapi.Config {
	context := user + "@" + name
	return clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{name: &cluster},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{user: &auth},
		Contexts:       map[string]*clientcmdapi.Context{context: {Cluster: name, AuthInfo: user}},
		CurrentContext: context,
	}
}

// Write writes the kubeconfig to path, readable by its owner only.
func (c Cluster) Write(path, user string, client pki.Pair) error {
	if err := clientcmd.WriteToFile(c.File(user, client), path); err != nil {
		return fmt.Errorf("write kubeconfig of %s: %w", user, err)
	}
	return nil
}

// RESTConfig is the same without a file.
func (c Cluster) RESTConfig(client pki.Pair) *rest.Config {
	return &rest.Config{
		Host: c.Server,
		TLSClientConfig: rest.TLSClientConfig{
			ServerName: c.ServerName,
			CAData:     c.CA,
			CertData:   client.Cert,
			KeyData:    client.Key,
		},
	}
}
