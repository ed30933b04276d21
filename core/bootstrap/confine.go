package bootstrap

import (
	"context"
	"fmt"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	kubeadmconstants "k8s.io/kubernetes/cmd/kubeadm/app/constants"

	"github.com/tabernetes/tabernetes/core/pki"
)

// Policies about what nodes write.
const (
	claimsPolicy = "node-claims.tabernetes.internal"
	podsPolicy   = "node-pods.tabernetes.internal"
)

// podCIDRs says that a Node's pod CIDRs are as they were: none when the node makes it.
const podCIDRs = `(has(object.spec) && has(object.spec.podCIDRs) ? object.spec.podCIDRs : []) ==
  (oldObject != null && has(oldObject.spec) && has(oldObject.spec.podCIDRs) ? oldObject.spec.podCIDRs : [])`

// ConfineNodes has no node do what NodeRestriction lets it, and nothing here needs.
//
// It does not choose its own pod CIDRs: whatever it chose, the controller manager would take for given, up
// to the whole range, and one out of the range keeps the controller manager from starting again
// (NewCIDRRangeAllocator in pkg/controller/nodeipam/ipam).
//
// It makes no pods: those that stand for a kubelet's static pods could have any labels in any namespace,
// and be where a Service of others leads. No machine has static pods; an in-tab node may, whose kubelet is
// this process: who may write into its folder of manifests may do more on it already.
func ConfineNodes(client kubernetes.Interface) error {
	if err := ensurePolicy(client, nodesPolicy(claimsPolicy, "nodes", podCIDRs, "a node's pod CIDRs are the controller manager's to choose",
		admissionv1.Create, admissionv1.Update)); err != nil {
		return err
	}
	pods := nodesPolicy(podsPolicy, "pods", "false", "a node makes no pods; machines have no static pods here", admissionv1.Create)
	pods.Spec.MatchConditions = append(pods.Spec.MatchConditions, admissionv1.MatchCondition{
		Name: "machines", Expression: `!("` + pki.InTabNodes + `" in request.userInfo.groups)`,
	})
	return ensurePolicy(client, pods)
}

// nodesPolicy denies nodes what does not satisfy the expression.
func nodesPolicy(name, resource, expression, otherwise string, operations ...admissionv1.OperationType) *admissionv1.ValidatingAdmissionPolicy {
	fail := admissionv1.Fail
	return &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: &fail,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: operations,
					Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{resource}},
				},
			}}},
			MatchConditions: []admissionv1.MatchCondition{{
				Name: "nodes", Expression: `request.userInfo.username.startsWith("system:node:")`,
			}},
			Validations: []admissionv1.Validation{{Expression: expression, Message: otherwise}},
		},
	}
}

// approveNoNames takes away what kubeadm has upstream's controller approve first certificates by, for
// whatever name is asked: core/realnode approves those of names that nobody has. An older version made it.
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
