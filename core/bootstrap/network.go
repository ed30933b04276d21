package bootstrap

import (
	"context"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// namesRole is what a name server reads: the rules of kubeadm's system:coredns that a node's needs.
const namesRole = "tabernetes:node-dns"

// AllowNodesTheirNetwork lets nodes read what their network is made of: Services, their endpoints,
// Namespaces, and the other Nodes. kubeadm has pods of their own accounts for that (kube-proxy,
// CoreDNS); here the node does it itself. What is there already is left alone.
func AllowNodesTheirNetwork(client kubernetes.Interface) error {
	ctx := context.Background()
	rbac := client.RbacV1()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: namesRole}, Rules: []rbacv1.PolicyRule{
		{Verbs: []string{"list", "watch"}, APIGroups: []string{""}, Resources: []string{"services", "namespaces"}},
		{Verbs: []string{"list", "watch"}, APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}},
	}}
	if _, err := rbac.ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make the role %s: %w", namesRole, err)
	}
	for name, role := range map[string]string{namesRole: namesRole, "tabernetes:node-proxier": "system:node-proxier"} {
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "system:nodes"}},
		}
		if _, err := rbac.ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("bind the role %s: %w", role, err)
		}
	}
	return nil
}
