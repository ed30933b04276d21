package bootstrap

import (
	"bytes"
	"context"
	"errors"
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

// Prepare does what `kubeadm init phase bootstrap-token` does: the rules for bearers of tokens and for
// nodes' certificates, and cluster-info with the CA (PEM). Where cluster-info is published already it
// stays as it is, because writing it anew would take the tokens' signatures off it for a moment; only
// what nodes came to need since that cluster was made is added.
func Prepare(ctx context.Context, client kubernetes.Interface, ca []byte) error {
	info := clusterInfo(ca)
	done, err := client.CoreV1().ConfigMaps(metav1.NamespacePublic).Get(ctx, bootstrapapi.ConfigMapClusterInfo, metav1.GetOptions{})
	switch {
	case err == nil:
		same, err := publishes(done, ca)
		if err != nil {
			return err
		}
		if same {
			if err := errors.Join(AllowNodesTheirNetwork(client), AllowNodesTheirVolumes(client)); err != nil {
				return fmt.Errorf("prepare for machines that join: %w", err)
			}
			return nil
		}
	case !apierrors.IsNotFound(err):
		return fmt.Errorf("prepare for machines that join: read cluster-info: %w", err)
	}
	for _, step := range []struct {
		what string
		do   func(kubernetes.Interface) error
	}{
		{"let bootstrap tokens read Nodes", node.AllowBootstrapTokensToGetNodes},
		{"let bootstrap tokens ask for certificates", node.AllowBootstrapTokensToPostCSRs},
		{"have nodes' first certificates approved", node.AutoApproveNodeBootstrapTokens},
		{"have nodes' later certificates approved", node.AutoApproveNodeCertificateRotation},
		{"let nodes read what their network is made of", AllowNodesTheirNetwork},
		{"let nodes make volumes of their own", AllowNodesTheirVolumes},
		{"let everybody read cluster-info", clusterinfo.CreateClusterInfoRBACRules},
		// The last: it says that all is done.
		{"publish cluster-info", func(c kubernetes.Interface) error {
			return clusterinfo.CreateBootstrapConfigMapIfNotExists(c, info)
		}},
	} {
		if err := step.do(client); err != nil {
			return fmt.Errorf("prepare for machines that join: %s: %w", step.what, err)
		}
	}
	return nil
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
