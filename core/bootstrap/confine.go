package bootstrap

import (
	"context"
	"fmt"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	kubeadmconstants "k8s.io/kubernetes/cmd/kubeadm/app/constants"
)

// claimsPolicy is the name of the policy about what nodes write on their Nodes.
const claimsPolicy = "node-claims.tabernetes.internal"

// podCIDRs says that a Node's pod CIDRs are as they were: none when the node makes it.
const podCIDRs = `(has(object.spec) && has(object.spec.podCIDRs) ? object.spec.podCIDRs : []) ==
  (oldObject != null && has(oldObject.spec) && has(oldObject.spec.podCIDRs) ? oldObject.spec.podCIDRs : [])`

// ConfineNodes has no node choose its own pod CIDRs, which NodeRestriction lets it: whatever it chose, the
// controller manager would take for given, up to the whole range, and one out of the range keeps the
// controller manager from starting again (NewCIDRRangeAllocator in pkg/controller/nodeipam/ipam).
func ConfineNodes(client kubernetes.Interface) error {
	fail := admissionv1.Fail
	return ensurePolicy(client, &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: claimsPolicy},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: &fail,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
					Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"nodes"}},
				},
			}}},
			MatchConditions: []admissionv1.MatchCondition{{
				Name: "nodes", Expression: `request.userInfo.username.startsWith("system:node:")`,
			}},
			Validations: []admissionv1.Validation{{
				Expression: podCIDRs,
				Message:    "a node's pod CIDRs are the controller manager's to choose",
			}},
		},
	})
}

// approveNoNames takes away what kubeadm has upstream's controller approve first certificates by, for
// whatever name is asked: core/remote approves those of names that nobody has. An older version made it.
func approveNoNames(client kubernetes.Interface) error {
	ctx, bindings := context.Background(), client.RbacV1().ClusterRoleBindings()
	_, err := bindings.Get(ctx, kubeadmconstants.NodeAutoApproveBootstrapClusterRoleBinding, metav1.GetOptions{})
	if err == nil {
		err = bindings.Delete(ctx, kubeadmconstants.NodeAutoApproveBootstrapClusterRoleBinding, metav1.DeleteOptions{})
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete the binding %s: %w", kubeadmconstants.NodeAutoApproveBootstrapClusterRoleBinding, err)
	}
	return nil
}
