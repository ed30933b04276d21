package bootstrap

import (
	"context"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/tabernetes/tabernetes/core/remote/mark"
)

// LocalPathProvisioner makes volumes that are directories of real nodes (nodehost/volumes).
const LocalPathProvisioner = "local-path.tabernetes.internal"

const (
	localPathClass = "local-path"
	volumesRole    = "tabernetes:node-local-volumes"
	volumesPolicy  = "node-local-volumes.tabernetes.internal"
)

// LocalPathNode is the node on which a volume of local-path is; ok is false for every other volume.
func LocalPathNode(v *corev1.PersistentVolume) (node string, ok bool) {
	if v.Annotations[storagehelpers.AnnDynamicallyProvisioned] != LocalPathProvisioner || v.Spec.Local == nil ||
		v.Spec.NodeAffinity == nil || v.Spec.NodeAffinity.Required == nil {
		return "", false
	}
	for _, t := range v.Spec.NodeAffinity.Required.NodeSelectorTerms {
		for _, e := range t.MatchExpressions {
			if e.Key == corev1.LabelHostname && e.Operator == corev1.NodeSelectorOpIn && len(e.Values) == 1 {
				return e.Values[0], true
			}
		}
	}
	return "", false
}

// AllowNodesTheirVolumes makes the StorageClass local-path and lets real nodes make its volumes: each
// its own, which a policy sees to. What is there already stays.
func AllowNodesTheirVolumes(client kubernetes.Interface) error {
	ctx := context.Background()
	if err := addRole(client, volumesRole, []rbacv1.PolicyRule{
		{Verbs: []string{"get", "list", "watch", "create", "update", "patch", "delete"}, APIGroups: []string{""}, Resources: []string{"persistentvolumes"}},
		{Verbs: []string{"get", "list", "watch"}, APIGroups: []string{""}, Resources: []string{"persistentvolumeclaims"}},
		{Verbs: []string{"get", "list", "watch"}, APIGroups: []string{storagev1.GroupName}, Resources: []string{"storageclasses"}},
	}); err != nil {
		return err
	}
	if err := bindToNodes(client, volumesRole, volumesRole); err != nil {
		return err
	}
	// The policy before there is a class of whose volumes it speaks.
	admission, classes := client.AdmissionregistrationV1(), client.StorageV1().StorageClasses()
	for _, o := range []struct {
		what      string
		get, make func() error
	}{
		{"policy " + volumesPolicy, func() error {
			_, err := admission.ValidatingAdmissionPolicies().Get(ctx, volumesPolicy, metav1.GetOptions{})
			return err
		}, func() error {
			_, err := admission.ValidatingAdmissionPolicies().Create(ctx, ownVolumes(), metav1.CreateOptions{})
			return err
		}},
		{"binding of the policy " + volumesPolicy, func() error {
			_, err := admission.ValidatingAdmissionPolicyBindings().Get(ctx, volumesPolicy, metav1.GetOptions{})
			return err
		}, func() error {
			_, err := admission.ValidatingAdmissionPolicyBindings().Create(ctx, denyOthers(), metav1.CreateOptions{})
			return err
		}},
		{"StorageClass " + localPathClass, func() error {
			_, err := classes.Get(ctx, localPathClass, metav1.GetOptions{})
			return err
		}, func() error {
			_, err := classes.Create(ctx, localPath(), metav1.CreateOptions{})
			return err
		}},
	} {
		err := o.get()
		if apierrors.IsNotFound(err) {
			err = o.make()
		}
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("make the %s: %w", o.what, err)
		}
	}
	return nil
}

// localPath is the class: its volumes are made where the first pod goes, which is a real node.
func localPath() *storagev1.StorageClass {
	reclaim, wait := corev1.PersistentVolumeReclaimDelete, storagev1.VolumeBindingWaitForFirstConsumer
	return &storagev1.StorageClass{
		ObjectMeta:  metav1.ObjectMeta{Name: localPathClass},
		Provisioner: LocalPathProvisioner, ReclaimPolicy: &reclaim, VolumeBindingMode: &wait,
		AllowedTopologies: []corev1.TopologySelectorTerm{{
			MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{Key: mark.KindLabel, Values: []string{mark.Real}}},
		}},
	}
}

func denyOthers() *admissionv1.ValidatingAdmissionPolicyBinding {
	return &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: volumesPolicy},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: volumesPolicy, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}
}

// ownVolume says of a volume that it is one of local-path's on the node that asks.
const ownVolume = `VOLUME == null || (
  has(VOLUME.spec.local) && has(VOLUME.spec.nodeAffinity) && has(VOLUME.spec.nodeAffinity.required) &&
  has(VOLUME.metadata.annotations) && "pv.kubernetes.io/provisioned-by" in VOLUME.metadata.annotations &&
  VOLUME.metadata.annotations["pv.kubernetes.io/provisioned-by"] == "` + LocalPathProvisioner + `" &&
  VOLUME.spec.nodeAffinity.required.nodeSelectorTerms.all(t, has(t.matchExpressions) && t.matchExpressions.exists(e,
    e.key == "kubernetes.io/hostname" && e.operator == "In" && e.values == [request.userInfo.username.substring(12)])))`

// ownVolumes is the policy: a node touches no volume but its own.
func ownVolumes() *admissionv1.ValidatingAdmissionPolicy {
	fail := admissionv1.Fail
	policy := &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: volumesPolicy},
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
			Message:    "a node may make and delete local volumes of its own only",
		})
	}
	return policy
}
