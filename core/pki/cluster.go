package pki

import (
	"fmt"
	"net"

	"k8s.io/apiserver/pkg/authentication/user"
	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
	kubeadmapi "k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm"
	kubeadmconstants "k8s.io/kubernetes/cmd/kubeadm/app/constants"
	"k8s.io/kubernetes/cmd/kubeadm/app/util/pkiutil"
)

// Options name what the control plane is reached by.
type Options struct {
	// ServerNames and ServerIPs stand in the apiserver's serving certificate beside
	// "kubernetes", "kubernetes.default" and so on.
	ServerNames []string
	ServerIPs   []net.IP
}

// Cluster is all the key material of one cluster.
type Cluster struct {
	CA           *Authority
	FrontProxyCA *Authority

	// ServiceAccount signs and verifies service account tokens.
	ServiceAccountKey, ServiceAccountPublicKey []byte

	APIServer              Pair // serves
	APIServerKubeletClient Pair // the apiserver towards kubelets
	FrontProxyClient       Pair // the aggregator towards extension apiservers
}

// newRoots makes what everything else is signed with.
func newRoots() (*Cluster, error) {
	var c Cluster
	var err error
	if c.CA, err = NewAuthority("kubernetes"); err != nil {
		return nil, err
	}
	if c.FrontProxyCA, err = NewAuthority("front-proxy-ca"); err != nil {
		return nil, err
	}
	if err := c.newServiceAccountKey(); err != nil {
		return nil, err
	}
	return &c, nil
}

// signLeaves makes the components' certificates, each time the cluster starts: nobody outside
// knows them, and so they do not expire.
func (c *Cluster) signLeaves(o Options) (err error) {
	names := append([]string{
		"kubernetes", "kubernetes.default", "kubernetes.default.svc",
		"kubernetes.default.svc.cluster.local", "localhost",
	}, o.ServerNames...)
	ips := append([]net.IP{net.IPv4(127, 0, 0, 1)}, o.ServerIPs...)
	if c.APIServer, err = c.CA.Server("kube-apiserver", nil, certutil.AltNames{DNSNames: names, IPs: ips}); err != nil {
		return err
	}
	if c.APIServerKubeletClient, err = c.CA.Client("kube-apiserver-kubelet-client", user.SystemPrivilegedGroup); err != nil {
		return err
	}
	c.FrontProxyClient, err = c.FrontProxyCA.Client("front-proxy-client")
	return err
}

func (c *Cluster) newServiceAccountKey() error {
	key, err := pkiutil.GeneratePrivateKey(kubeadmapi.EncryptionAlgorithmECDSAP256)
	if err != nil {
		return fmt.Errorf("make service account key: %w", err)
	}
	if c.ServiceAccountKey, err = keyutil.MarshalPrivateKeyToPEM(key); err != nil {
		return fmt.Errorf("encode service account key: %w", err)
	}
	if c.ServiceAccountPublicKey, err = pkiutil.EncodePublicKeyPEM(key.Public()); err != nil {
		return fmt.Errorf("encode service account public key: %w", err)
	}
	return nil
}

// Admin signs a client certificate for the cluster's owner.
func (c *Cluster) Admin() (Pair, error) { return c.CA.Client(Admin.Name, Admin.Groups...) }

// NodeServer signs a kubelet's serving certificate.
func (c *Cluster) NodeServer(node string, ip net.IP) (Pair, error) {
	return c.CA.Server(kubeadmconstants.NodesUserPrefix+node, []string{kubeadmconstants.NodesGroup},
		certutil.AltNames{DNSNames: []string{node}, IPs: []net.IP{ip}})
}
