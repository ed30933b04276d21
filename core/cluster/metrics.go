package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
	"k8s.io/metrics/pkg/apis/metrics"

	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/core/resourcemetrics"
)

// runMetrics has metrics.k8s.io found, and asks the nodes for what it serves, real ones too, until ctx is
// done.
func (c *Cluster) runMetrics(ctx context.Context) error {
	config := c.insider(pki.Admin).RESTConfig(pki.Pair{})
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("serve metrics: %w", err)
	}
	services, err := aggregator.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("serve metrics: %w", err)
	}
	if err := announceMetrics(ctx, client, services); err != nil {
		return fmt.Errorf("serve metrics: %w", err)
	}
	pair, err := tls.X509KeyPair(c.keys.APIServerKubeletClient.Cert, c.keys.APIServerKubeletClient.Key)
	if err != nil {
		return fmt.Errorf("serve metrics: %w", err)
	}
	ca := x509.NewCertPool()
	ca.AddCert(c.keys.CA.Cert)
	kubelets := &http.Transport{
		DialContext:         c.router.DialContext,
		TLSClientConfig:     &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: ca, MinVersion: tls.VersionTLS12},
		MaxIdleConnsPerHost: 1, IdleConnTimeout: 2 * resourcemetrics.Resolution,
		TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10,
	}
	defer kubelets.CloseIdleConnections()
	return c.metrics.Run(ctx, resourcemetrics.Options{Client: client, Kubelets: kubelets})
}

// announceMetrics makes the APIService, and lets who may view pods view what they use, as metrics-server's
// manifest does. What is there already stays: somebody has a metrics-server of their own.
func announceMetrics(ctx context.Context, client kubernetes.Interface, services aggregator.Interface) error {
	version := resourcemetrics.GroupVersion
	_, err := services.ApiregistrationV1().APIServices().Create(ctx, &apiregistrationv1.APIService{
		ObjectMeta: metav1.ObjectMeta{Name: version.Version + "." + version.Group},
		Spec: apiregistrationv1.APIServiceSpec{
			Group: version.Group, Version: version.Version, GroupPriorityMinimum: 100, VersionPriority: 100,
		},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make the APIService: %w", err)
	}
	const aggregate = "rbac.authorization.k8s.io/aggregate-to-"
	_, err = client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "system:aggregated-metrics-reader", Labels: map[string]string{
			aggregate + "view": "true", aggregate + "edit": "true", aggregate + "admin": "true",
		}},
		Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{metrics.GroupName}, Resources: []string{"pods", "nodes"}, Verbs: []string{"get", "list", "watch"},
		}},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make the role of readers: %w", err)
	}
	return nil
}
