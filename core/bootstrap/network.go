package bootstrap

import (
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-helpers/auth/rbac/reconciliation"
)

// namesRole is what a name server reads: the rules of kubeadm's system:coredns that a node's needs.
const namesRole = "tabernetes:node-dns"

// AllowNodesTheirNetwork lets nodes read what their network is made of: Services, their endpoints,
// Namespaces, and the other Nodes. kubeadm has pods of their own accounts for that (kube-proxy,
// CoreDNS); here the node does it itself. What is missing is added, what is there already stays, as
// the API server itself does it with its own roles (k8s.io/component-helpers/auth/rbac/reconciliation).
func AllowNodesTheirNetwork(client kubernetes.Interface) error {
	if err := addRole(client, namesRole, []rbacv1.PolicyRule{
		{Verbs: []string{"list", "watch"}, APIGroups: []string{""}, Resources: []string{"services", "namespaces"}},
		{Verbs: []string{"list", "watch"}, APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}},
	}); err != nil {
		return err
	}
	if err := bindToNodes(client, namesRole, namesRole); err != nil {
		return err
	}
	return bindToNodes(client, "tabernetes:node-proxier", "system:node-proxier")
}

// addRole makes a ClusterRole, or adds to it what it lacks.
func addRole(client kubernetes.Interface, name string, rules []rbacv1.PolicyRule) error {
	role := reconciliation.ReconcileRoleOptions{
		Role:    reconciliation.ClusterRoleRuleOwner{ClusterRole: &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}},
		Confirm: true,
		Client:  reconciliation.ClusterRoleModifier{Client: client.RbacV1().ClusterRoles()},
	}
	if _, err := role.Run(); err != nil {
		return fmt.Errorf("make the role %s: %w", name, err)
	}
	return nil
}

// bindToNodes gives every node a ClusterRole.
func bindToNodes(client kubernetes.Interface, name, role string) error {
	binding := reconciliation.ReconcileRoleBindingOptions{
		RoleBinding: reconciliation.ClusterRoleBindingAdapter{ClusterRoleBinding: &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "system:nodes"}},
		}},
		Confirm: true,
		Client:  reconciliation.ClusterRoleBindingClientAdapter{Client: client.RbacV1().ClusterRoleBindings()},
	}
	if _, err := binding.Run(); err != nil {
		return fmt.Errorf("bind the role %s: %w", role, err)
	}
	return nil
}
