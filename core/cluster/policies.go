package cluster

import (
	"context"
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/netpolicy"
	"github.com/tabernetes/tabernetes/core/pki"
)

// followPolicies begins to watch NetworkPolicies and what they select, until ctx is done.
func (c *Cluster) followPolicies(ctx context.Context) (*netpolicy.Policies, error) {
	if err := c.bindPodNetwork(ctx); err != nil {
		return nil, fmt.Errorf("role of the pods' network: %w", err)
	}
	config := c.insider(pki.PodNetwork).RESTConfig(pki.Pair{})
	config.ContentType = runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("follow NetworkPolicies: %w", err)
	}
	p, err := netpolicy.New(client)
	if err != nil {
		return nil, err
	}
	go p.Start(ctx.Done())
	// Policies that let pods ask for names say so by the labels of CoreDNS' pods, of which there are none here.
	p.Attach(dnsIP, netpolicy.Pod{Namespace: metav1.NamespaceSystem, Name: "kube-dns", Labels: map[string]string{"k8s-app": "kube-dns"}, Ports: []corev1.ContainerPort{
		{Name: "dns", ContainerPort: 53, Protocol: corev1.ProtocolUDP}, {Name: "dns-tcp", ContainerPort: 53, Protocol: corev1.ProtocolTCP},
	}})
	return p, nil
}

// bindPodNetwork gives pki.PodNetwork the role that no default one is: to read pods, namespaces and
// NetworkPolicies. What a person has made of it stays.
func (c *Cluster) bindPodNetwork(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(c.PageConfig())
	if err != nil {
		return err
	}
	name := metav1.ObjectMeta{Name: pki.PodNetwork.GetName()}
	read := []string{"list", "watch"}
	_, err = client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: name, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"pods", "namespaces"}, Verbs: read},
		{APIGroups: []string{networkingv1.GroupName}, Resources: []string{"networkpolicies"}, Verbs: read},
	}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: name,
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name.Name}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name.Name},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// attachPod tells policies of a node's pods before their programs start. A pod's labels are among its
// sandbox's.
func (c *Cluster) attachPod(node netip.Addr) func(netip.Addr, *runtimeapi.PodSandboxConfig) func() {
	return func(ip netip.Addr, s *runtimeapi.PodSandboxConfig) func() {
		m := s.GetMetadata()
		return c.services.policies.Attach(ip, netpolicy.Pod{Namespace: m.GetNamespace(), Name: m.GetName(), Labels: s.GetLabels(), Node: node})
	}
}
