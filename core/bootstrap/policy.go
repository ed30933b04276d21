package bootstrap

import (
	"context"
	"fmt"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// ensurePolicy makes a policy, and the binding that has it deny. One that is there and lacks something of
// ours, as an older version made it, gets it; what is more than ours stays.
func ensurePolicy(client kubernetes.Interface, want *admissionv1.ValidatingAdmissionPolicy) error {
	ctx, admission := context.Background(), client.AdmissionregistrationV1()
	policies, bindings := admission.ValidatingAdmissionPolicies(), admission.ValidatingAdmissionPolicyBindings()
	have, err := policies.Get(ctx, want.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		_, err = policies.Create(ctx, want, metav1.CreateOptions{})
	case err == nil && !equality.Semantic.DeepDerivative(want.Spec, have.Spec):
		have.Spec = want.Spec
		_, err = policies.Update(ctx, have, metav1.UpdateOptions{})
	}
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make the policy %s: %w", want.Name, err)
	}
	deny := &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: want.Name},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: want.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}
	bound, err := bindings.Get(ctx, want.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		_, err = bindings.Create(ctx, deny, metav1.CreateOptions{})
	case err == nil && !equality.Semantic.DeepDerivative(deny.Spec, bound.Spec):
		bound.Spec = deny.Spec
		_, err = bindings.Update(ctx, bound, metav1.UpdateOptions{})
	}
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("bind the policy %s: %w", want.Name, err)
	}
	return nil
}
