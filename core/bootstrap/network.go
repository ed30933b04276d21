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
	rbac := client.RbacV1()
	role := reconciliation.ReconcileRoleOptions{
		Role: reconciliation.ClusterRoleRuleOwner{ClusterRole: &rbacv1.ClusterRole{
			ObjectMeta: metav1.ObjectMeta{Name: namesRole},
			Rules: []rbacv1.PolicyRule{
				{Verbs: []string{"list", "watch"}, APIGroups: []string{""}, Resources: []string{"services", "namespaces"}},
				{Verbs: []string{"list", "watch"}, APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}},
			},
		}},
		Confirm: true,
		Client:  reconciliation.ClusterRoleModifier{Client: rbac.ClusterRoles()},
	}
	if _, err := role.Run(); err != nil {
		return fmt.Errorf("make the role %s: %w", namesRole, err)
	}
	for name, role := range map[string]string{namesRole: namesRole, "tabernetes:node-proxier": "system:node-proxier"} {
		binding := reconciliation.ReconcileRoleBindingOptions{
			RoleBinding: reconciliation.ClusterRoleBindingAdapter{ClusterRoleBinding: &rbacv1.ClusterRoleBinding{
				ObjectMeta: metav1.ObjectMeta{Name: name},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
				Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "system:nodes"}},
			}},
			Confirm: true,
			Client:  reconciliation.ClusterRoleBindingClientAdapter{Client: rbac.ClusterRoleBindings()},
		}
		if _, err := binding.Run(); err != nil {
			return fmt.Errorf("bind the role %s: %w", role, err)
		}
	}
	return nil
}
