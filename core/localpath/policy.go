package localpath

import (
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Names of what nodes are allowed by, and of what holds them to it.
const (
	RoleName   = "tabernetes:node-local-volumes"
	PolicyName = "node-local-volumes.tabernetes.internal"
)

// Rules are what nodes may do; RBAC cannot say that it is with their own volumes only.
func Rules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{Verbs: []string{"get", "list", "watch", "create", "update", "patch", "delete"}, APIGroups: []string{""}, Resources: []string{"persistentvolumes"}},
		{Verbs: []string{"get", "list", "watch"}, APIGroups: []string{""}, Resources: []string{"persistentvolumeclaims"}},
		{Verbs: []string{"get", "list", "watch"}, APIGroups: []string{storagev1.GroupName}, Resources: []string{"storageclasses"}},
	}
}

// ownVolume says of a volume that it is one as Volume makes it, on the node that asks: of one of our
// classes, and for the claim that it is named after. Without the class a node could offer a volume to
// claims of any.
const ownVolume = `VOLUME == null || (
  has(VOLUME.spec.local) && has(VOLUME.spec.nodeAffinity) && has(VOLUME.spec.nodeAffinity.required) &&
  has(VOLUME.spec.storageClassName) && (VOLUME.spec.storageClassName == "` + ClassName + `" || VOLUME.spec.storageClassName.startsWith("` + ClassName + `-")) &&
  has(VOLUME.spec.claimRef) && has(VOLUME.spec.claimRef.uid) && VOLUME.metadata.name == "pvc-" + VOLUME.spec.claimRef.uid &&
  has(VOLUME.metadata.annotations) && "pv.kubernetes.io/provisioned-by" in VOLUME.metadata.annotations &&
  VOLUME.metadata.annotations["pv.kubernetes.io/provisioned-by"] == "` + Provisioner + `" &&
  VOLUME.spec.nodeAffinity.required.nodeSelectorTerms.all(t, has(t.matchExpressions) && t.matchExpressions.exists(e,
    e.key == "kubernetes.io/hostname" && e.operator == "In" && e.values == [request.userInfo.username.substring(12)])))`

// Policy has a node touch no volume but its own.
func Policy() *admissionv1.ValidatingAdmissionPolicy {
	fail := admissionv1.Fail
	policy := &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: PolicyName},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: &fail,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update, admissionv1.Delete},
					Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"persistentvolumes"}},
				},
			}}},
			MatchConditions: []admissionv1.MatchCondition{{
				Name: "nodes", Expression: `request.userInfo.username.startsWith("system:node:")`,
			}},
		},
	}
	for _, which := range []string{"object", "oldObject"} {
		policy.Spec.Validations = append(policy.Spec.Validations, admissionv1.Validation{
			Expression: strings.ReplaceAll(ownVolume, "VOLUME", which),
			Message:    "a node may make and delete local volumes of its own only, of the class " + ClassName + " or one called " + ClassName + "-…, each for the claim that it is named after",
		})
	}
	return policy
}
