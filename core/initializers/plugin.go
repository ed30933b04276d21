package initializers

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	"k8s.io/kubernetes/pkg/apis/authentication"
	"k8s.io/kubernetes/pkg/apis/authorization"
)

// plugin writes into each new object which initializers it waits for, as plugin/initialization of
// k8s.io/apiserver/pkg/admission did until 1.13. What becomes of the list later is judged where objects are stored
// (writes.go), which no subresource gets past.
type plugin struct {
	*admission.Handler
	feature *Feature
}

var _ admission.MutationInterface = (*plugin)(nil)

// exempt are resources that are never held: who configures admission could not undo it; and what is answered or handed
// on, and not stored.
func exempt(r schema.GroupResource) bool {
	switch r.Group {
	case admissionregistration.GroupName, authentication.GroupName, authorization.GroupName:
		return true
	}
	return r == schema.GroupResource{Resource: "bindings"}
}

// Admit implements admission.MutationInterface.
func (p *plugin) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetOperation() != admission.Create || a.GetSubresource() != "" || exempt(a.GetResource().GroupResource()) {
		return nil
	}
	m, err := meta.Accessor(a.GetObject())
	if err != nil {
		return nil // without metadata nothing is pending
	}
	annotations := m.GetAnnotations()
	if _, has := annotations[ResultAnnotation]; has {
		return admission.NewForbidden(a, fmt.Errorf("annotation %s is for initializers, on what waits for them", ResultAnnotation))
	}
	if given, has := annotations[PendingAnnotation]; has {
		// Who may initialize may also say for whom an object waits: with an empty list, for nobody.
		if err := p.feature.mayInitialize(ctx, authorizer.AttributesRecord{
			APIGroup: a.GetResource().Group, Resource: a.GetResource().Resource, Namespace: a.GetNamespace(), Name: a.GetName(),
		}); err != nil {
			return admission.NewForbidden(a, fmt.Errorf("create with initializers denied: %w", err))
		}
		names := split(given)
		if err := namesError(names); err != nil {
			return apierrors.NewBadRequest(fmt.Sprintf("annotation %s: %v", PendingAnnotation, err))
		}
		setPending(m, names)
		return nil
	}
	// A mirror pod runs already. Upstream asked for the annotation only, which anybody may write.
	if _, mirror := annotations[corev1.MirrorPodAnnotationKey]; mirror && a.GetResource().GroupResource() == corev1.Resource("pods") &&
		slices.Contains(a.GetUserInfo().GetGroups(), user.NodesGroup) {
		return nil
	}
	names, err := p.feature.inForce.of(ctx, a)
	if err != nil {
		return apierrors.NewInternalError(fmt.Errorf("read which initializers there are: %w", err))
	}
	if len(names) > maxInitializers {
		return admission.NewForbidden(a, namesError(names))
	}
	if len(names) > 0 {
		setPending(m, names)
	}
	return nil
}
