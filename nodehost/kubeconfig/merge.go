package kubeconfig

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/nodehost/hub"
)

// entry is what the kubeconfig gets; the last three are PEM.
type entry struct {
	cluster, address, serverName string
	ca, cert, key                []byte
}

// merge writes cluster, user and context into the kubeconfig and returns the context's name.
func (o *Options) merge(e entry) (string, error) {
	paths := clientcmd.NewDefaultPathOptions()
	if o.File != "" {
		paths.LoadingRules.ExplicitPath = o.File
	}
	config, err := paths.GetStartingConfig()
	if err != nil {
		return "", fmt.Errorf("read the kubeconfig: %w", err)
	}
	name := "tabernetes-" + e.cluster
	user := o.User + "@" + name
	config.Clusters[name] = &clientcmdapi.Cluster{
		Server: "https://" + e.address, TLSServerName: e.serverName, CertificateAuthorityData: e.ca,
	}
	config.AuthInfos[user] = &clientcmdapi.AuthInfo{ClientCertificateData: e.cert, ClientKeyData: e.key}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: user}
	if !o.KeepContext || config.CurrentContext == "" {
		config.CurrentContext = name
	}
	if err := clientcmd.ModifyConfig(paths, *config, true); err != nil {
		return "", fmt.Errorf("write the kubeconfig: %w", err)
	}
	return name, nil
}

// address is where clients reach the cluster, as the hub says, and the name that has to answer there,
// as the cluster says: nodes have certificates of the same CA, so that the hub may not choose the name.
// A hub that listens on all addresses is reached by the one that it was asked by.
func (o *Options) address(at hub.Cluster, offer access.Offer) (address, serverName string, err error) {
	if len(at.Addresses) == 0 {
		return "", "", errors.New("the hub does not say where clients reach the cluster")
	}
	address = at.Addresses[0]
	if o.OwnPort {
		if len(at.Addresses) < 2 {
			return "", "", errors.New("the cluster has no port of its own; start the hub with --cluster-ports")
		}
		address = at.Addresses[1]
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", "", fmt.Errorf("the hub names the address %q: %w", address, err)
	}
	ip := net.ParseIP(host)
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || ip == nil && len(validation.IsDNS1123Subdomain(host)) > 0 {
		return "", "", fmt.Errorf("the hub names the address %q, which is none", address)
	}
	if ip != nil && ip.IsUnspecified() {
		asked, err := url.Parse(o.Hub)
		if err != nil {
			return "", "", err
		}
		host = asked.Hostname()
		address, ip = net.JoinHostPort(host, port), net.ParseIP(host)
	}
	if o.OwnPort && (host == "localhost" || ip != nil && ip.IsLoopback()) {
		return address, "", nil // what the apiserver's certificate is for, and no node's
	}
	return address, offer.ServerName, nil
}
