package bootstrap

import (
	"bytes"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	bootstrapapi "k8s.io/cluster-bootstrap/token/api"
	"k8s.io/kubernetes/cmd/kubeadm/app/phases/bootstraptoken/clusterinfo"
	"k8s.io/kubernetes/cmd/kubeadm/app/phases/bootstraptoken/node"
)

// server is the apiserver's URL in cluster-info. A machine that joins uses its own end of the tunnel
// instead; this is the name that is right everywhere inside.
const server = "https://kubernetes.default.svc"

// ours are the steps that kubeadm has not; each adds what is missing, and can be done again.
var ours = []step{
	{"have nodes' first certificates approved for free names only", approveNoNames},
	{"hold nodes to what is theirs", ConfineNodes},
	{"let nodes read what their network is made of", AllowNodesTheirNetwork},
	{"let nodes make volumes of their own", AllowNodesTheirVolumes},
}

type step struct {
	what string
	do   func(kubernetes.Interface) error
}

func do(client kubernetes.Interface, steps []step) error {
	for _, s := range steps {
		if err := s.do(client); err != nil {
			return fmt.Errorf("prepare for machines that join: %s: %w", s.what, err)
		}
	}
	return nil
}

// Prepare does what `kubeadm init phase bootstrap-token` does, and ours: the rules for bearers of tokens
// and for nodes' certificates, and cluster-info with the CA (PEM). Where cluster-info is published already
// it is Renew.
func Prepare(ctx context.Context, client kubernetes.Interface, ca []byte) error {
	published, err := Renew(ctx, client, ca)
	if err != nil || published {
		return err
	}
	return do(client, append(append([]step{
		{"let bootstrap tokens read Nodes", node.AllowBootstrapTokensToGetNodes},
		{"let bootstrap tokens ask for certificates", node.AllowBootstrapTokensToPostCSRs},
		{"have nodes' later certificates approved", node.AutoApproveNodeCertificateRotation},
	}, ours...),
		step{"let everybody read cluster-info", clusterinfo.CreateClusterInfoRBACRules},
		// The last: it says that all is done.
		step{"publish cluster-info", func(c kubernetes.Interface) error {
			return clusterinfo.CreateBootstrapConfigMapIfNotExists(c, clusterInfo(ca))
		}},
	))
}

// Renew brings a cluster that machines may have joined to what this version has: nothing, if cluster-info
// is not published. That stays as it is, because writing it anew would take the tokens' signatures off it
// for a moment.
func Renew(ctx context.Context, client kubernetes.Interface, ca []byte) (published bool, err error) {
	info, err := client.CoreV1().ConfigMaps(metav1.NamespacePublic).Get(ctx, bootstrapapi.ConfigMapClusterInfo, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("prepare for machines that join: read cluster-info: %w", err)
	}
	if published, err = publishes(info, ca); err != nil || !published {
		return false, err
	}
	return true, do(client, ours)
}

// clusterInfo is a kubeconfig of which kubeadm takes the cluster and nothing else.
func clusterInfo(ca []byte) *clientcmdapi.Config {
	const name = "kubernetes"
	return &clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{name: {Server: server, CertificateAuthorityData: ca}},
		Contexts:       map[string]*clientcmdapi.Context{name: {Cluster: name}},
		CurrentContext: name,
	}
}

// publishes says whether a cluster-info is that of the CA.
func publishes(info *corev1.ConfigMap, ca []byte) (bool, error) {
	config, err := clientcmd.Load([]byte(info.Data[bootstrapapi.KubeConfigKey]))
	if err != nil {
		return false, fmt.Errorf("prepare for machines that join: read cluster-info: %w; delete the ConfigMap and try again", err)
	}
	for _, c := range config.Clusters {
		if bytes.Equal(c.CertificateAuthorityData, ca) {
			return true, nil
		}
	}
	return false, nil
}
